-- name: EmailOwe :many
-- Writes mails, last in the transaction of what they tell of, where the environment has a sender with the kind switched
-- on and the customer has an address. Marks the sender where it has to be woken: the result names it. A signal may be
-- lost, so that a sender that was to be woken seconds ago is woken again.
with owed as (
    select unnest(@ids::text[]) as id, unnest(@kinds::text[]) as kind, unnest(@object_ids::text[]) as object_id,
        unnest(@occurrences::text[]) as occurrence, unnest(@customer_ids::text[]) as customer_id, unnest(@event_ids::text[]) as event_id
), written as (
    insert into emails (
        environment_id, id, kind, object_id, occurrence, customer_id, event_id, recipient, status, next_attempt_at, created_at
    )
    select @environment_id, o.id, o.kind, o.object_id, o.occurrence, o.customer_id, o.event_id, c.email, 'pending', @now::timestamptz,
        @now::timestamptz
    from email_senders s
    join owed o on o.kind = any(s.kinds)
    join customers c on c.environment_id = s.environment_id and c.id = o.customer_id
    where s.environment_id = @environment_id and s.deleted_at is null and c.email <> '' and c.erased_at is null
    on conflict (environment_id, kind, object_id, occurrence, recipient) do nothing
    returning 1
), sleeping as (
    select s.id
    from email_senders s
    where s.environment_id = @environment_id and s.deleted_at is null
      and (s.wake_pending_since is null or s.wake_pending_since < @lost_before::timestamptz)
      and (@wake::boolean or exists (select from written))
    for no key update
)
update email_senders s
set wake_pending_since = @now::timestamptz
from sleeping p
where s.environment_id = @environment_id and s.id = p.id
returning s.id;

-- name: EmailInsert :exec
-- One that was asked for, unless the customer was erased: an erasure that is under way is waited for.
with written as (
    insert into emails (
        environment_id, id, kind, object_id, occurrence, customer_id, event_id, recipient, status, next_attempt_at, created_at
    )
    select c.environment_id, @id::text, @kind::text, @object_id::text, @occurrence::text, c.id, sqlc.narg('event_id')::text,
        @recipient::text, 'pending', @created_at::timestamptz, @created_at::timestamptz
    from customers c
    where c.environment_id = @environment_id and c.id = @customer_id and c.erased_at is null
    for share of c
    returning 1
)
select 1 / count(*) from written;

-- name: EmailGet :one
select sqlc.embed(m) from emails m where m.environment_id = @environment_id and m.id = @id;

-- name: EmailLock :one
select sqlc.embed(m) from emails m where m.environment_id = @environment_id and m.id = @id for no key update;

-- name: EmailGetWithKey :one
select sqlc.embed(k), sqlc.embed(m)
from api_key_details k
join emails m on m.environment_id = k.environment_id and m.id = @id
where k.hash = @hash;

-- name: EmailList :many
-- Without the bodies, which are large.
select m.id, m.kind, m.object_id, m.customer_id, m.event_id, m.recipient, m.status, m.reason, m.language, m.subject, m.attempts, m.log,
    m.next_attempt_at, m.sent_at, m.erased_at, m.created_at
from emails m
where m.environment_id = @environment_id
  and (sqlc.narg('customer_id')::text is null or m.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('object_id')::text is null or m.object_id = sqlc.narg('object_id'))
  and (sqlc.narg('kind')::text is null or m.kind = sqlc.narg('kind'))
  and (sqlc.narg('status')::text is null or m.status = sqlc.narg('status'))
  and m.position < @below::bigint and m.position > @above::bigint
order by case when @forward::boolean then m.position end, m.position desc
limit @row_limit;

-- name: EmailListDue :many
select m.id
from emails m
where m.environment_id = @environment_id and m.status = 'pending' and m.next_attempt_at <= @now
order by m.next_attempt_at, m.position
limit @row_limit;

-- name: EmailNextDue :one
-- When the next mail is due, @never where none is pending, and how many are, up to some.
select coalesce((select min(m.next_attempt_at) from emails m where m.environment_id = @environment_id and m.status = 'pending'),
        @never::timestamptz)::timestamptz as next_at,
    (select count(*) from (
        select from emails m where m.environment_id = @environment_id and m.status = 'pending' limit @at_most::int) w)::integer as waiting;

-- name: EmailUpdate :exec
-- The row is locked.
update emails m
set status = @status, reason = sqlc.narg('reason'), language = sqlc.narg('language'), subject = sqlc.narg('subject'),
    body_text = sqlc.narg('body_text'), body_html = sqlc.narg('body_html'), attempts = @attempts, log = @log,
    next_attempt_at = sqlc.narg('next_attempt_at'), sent_at = sqlc.narg('sent_at')
where m.environment_id = @environment_id and m.id = @id;

-- name: EmailHasten :exec
-- A new server tries at once what the old one did not take. One that is under way stays: it is due when it counts as lost.
update emails m set next_attempt_at = @now
where m.environment_id = @environment_id and m.status = 'pending' and m.next_attempt_at > @now::timestamptz
  and m.log #>> '{-1,outcome}' is not null;

-- name: EmailCancel :one
-- The pending mails of an environment without a sender.
with closing as (
    select m.id
    from emails m
    where m.environment_id = @environment_id and m.status = 'pending'
      and not exists (select from email_senders s where s.environment_id = m.environment_id and s.deleted_at is null)
    order by m.id
    limit @row_limit
    for no key update of m
), closed as (
    update emails m set status = 'canceled', reason = 'sender_removed', next_attempt_at = null
    from closing c
    where m.environment_id = @environment_id and m.id = c.id
    returning 1
)
select count(*)::integer as closed from closed;

-- name: EmailPurge :one
with old as (
    select m.environment_id, m.id
    from emails m
    where m.created_at < @before and m.status <> 'pending'
    order by m.created_at
    limit @row_limit
    for update skip locked
), purged as (
    delete from emails m using old o where m.environment_id = o.environment_id and m.id = o.id
    returning 1
)
select count(*)::integer as purged from purged;
