-- The method of each customer becomes the default among the customer's payment methods. The triggers of 00200 do the same for each change
-- that comes meanwhile, so that no customer's row is locked.
--
-- Stepping back: as for 00200.

-- +goose Up
insert into payment_methods (environment_id, id, customer_id, type, details, created_at)
select c.environment_id, coalesce(c.payment_method_id, first_payment_method(c.id)), c.id, c.payment_method,
    coalesce(c.payment_details, '{}'), c.created_at
from customers c
where c.payment_method is not null
on conflict (environment_id, id) do nothing;
