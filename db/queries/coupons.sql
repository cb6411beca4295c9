-- name: CouponInsert :exec
with written as (
    insert into coupons (
        id, environment_id, code, name, percent, amount, currency, duration, periods, plan_ids, max_redemptions, redeem_by, active, created_at
    ) values (
        @id, @environment_id, @code, @name, @percent, @amount, @currency, @duration, @periods, @plan_ids, @max_redemptions, @redeem_by,
        @active, @created_at
    )
    on conflict (environment_id, lower(code)) do nothing
    returning 1
)
select 1 / count(*) from written;

-- name: CouponUpdate :exec
with written as (
    update coupons set name = @name, active = @active, redeem_by = @redeem_by
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: CouponRedeem :exec
-- Counts one redemption, where there is one left. Redemptions of one coupon wait for each other here, at the end of their
-- transactions, so that as many as there are left succeed.
with written as (
    update coupons set redeemed = redeemed + 1
    where environment_id = @environment_id and id = @id and active and (max_redemptions is null or redeemed < max_redemptions)
    returning 1
)
select 1 / count(*) from written;

-- name: CouponUnredeem :exec
-- Takes one redemption off the count: its discount was not given.
update coupons set redeemed = redeemed - 1
where environment_id = @environment_id and id = @id and redeemed > 0;

-- name: CouponListUses :many
-- The periods in which invoices of a subscription take coupons off. Each invoice counts for itself: a credit on a later one
-- does not undo that the coupon was given. Read where an invoice that took coupons off is voided.
select distinct u.coupon_id::text as coupon_id, u.period_index::integer as period_index
from (
    select share.value ->> 'couponId' as coupon_id, l.period_index
    from invoices i
    join invoice_lines l on l.environment_id = i.environment_id and l.invoice_id = i.id and l.discounts is not null
    cross join lateral jsonb_array_elements(l.discounts) as share
    where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status <> 'void' and i.id <> @invoice_id
    group by i.id, share.value ->> 'couponId', l.period_index
    having sum((share.value ->> 'amount')::bigint) > 0
) u
order by coupon_id, period_index;

-- name: CouponListByID :many
select sqlc.embed(c) from coupons c where c.environment_id = @environment_id and c.id = any(@ids::text[]) order by c.id;

-- name: CouponLock :one
select sqlc.embed(c) from coupons c where c.environment_id = @environment_id and c.id = @id for no key update;

-- name: CouponGetByCode :one
select sqlc.embed(c) from coupons c where c.environment_id = @environment_id and lower(c.code) = lower(@code::text);

-- name: CouponListByCode :many
select sqlc.embed(c) from coupons c
where c.environment_id = @environment_id and lower(c.code) in (select lower(k) from unnest(@codes::text[]) as k)
order by c.id;

-- name: CouponGetWithKey :one
select sqlc.embed(k), sqlc.embed(c)
from api_key_details k
join coupons c on c.environment_id = k.environment_id and c.id = @id
where k.hash = @hash;

-- name: CouponList :many
select sqlc.embed(c)
from coupons c
where c.environment_id = @environment_id
  and (sqlc.narg('active')::boolean is null or c.active = sqlc.narg('active'))
  and (sqlc.narg('code')::text is null or lower(c.code) = lower(sqlc.narg('code')))
  and c.position < @below::bigint and c.position > @above::bigint
order by case when @forward::boolean then c.position end, c.position desc
limit @row_limit;
