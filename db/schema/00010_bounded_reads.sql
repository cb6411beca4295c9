-- Every list, with every filter, and every list of the reconciler is read along an index in the order in which it is
-- returned, so that its cost depends on the rows it returns, not on the size of the table. A test reads the plans
-- (db/plans_test.go).

-- +goose Up
drop index customers_clock;
create index customers_clock on customers (environment_id, test_clock_id, position) where test_clock_id is not null;
drop index customers_email;
create index customers_email on customers (environment_id, email, position) where email is not null;
create index plans_active on plans (environment_id, active, position);

drop index subscriptions_customer;
create index subscriptions_customer on subscriptions (environment_id, customer_id, position);
create index subscriptions_plan on subscriptions (environment_id, plan_id, position);
create index subscriptions_status on subscriptions (environment_id, status, position);
create index subscriptions_clock_list on subscriptions (environment_id, test_clock_id, position) where test_clock_id is not null;

drop index invoices_customer;
create index invoices_customer on invoices (environment_id, customer_id, position);
create index invoices_subscription_list on invoices (environment_id, subscription_id, position);
create index invoices_status on invoices (environment_id, status, position);

drop index transactions_customer;
create index transactions_customer on transactions (environment_id, customer_id, position);
drop index transactions_subscription;
create index transactions_subscription on transactions (environment_id, subscription_id, position) where subscription_id is not null;
drop index transactions_invoice;
create index transactions_invoice on transactions (environment_id, invoice_id, position) where invoice_id is not null;
create index transactions_status on transactions (environment_id, status, position);
-- Charges are nearly all there is; refunds are few.
create index transactions_refunds on transactions (environment_id, position) where type = 'refund';

drop index events_customer;
create index events_customer on events (environment_id, customer_id, position) where customer_id is not null;
create index events_subscription on events (environment_id, subscription_id, position) where subscription_id is not null;
create index events_type on events (environment_id, type, position);

-- For the reconciler. Overdue work is read separately for each environment or provider configuration.
drop index test_clocks_advancing;
create index test_clocks_advancing on test_clocks (id) where status = 'advancing';
drop index subscriptions_late;
create index subscriptions_late on subscriptions (environment_id, next_action_at, id)
    where finished_at is null and test_clock_id is null and next_action_at is not null;
drop index subscriptions_method_changed;
create index subscriptions_method_changed on subscriptions (environment_id, method_changed_at, id)
    where method_changed_at is not null and finished_at is null and status <> 'canceled';
drop index transactions_due;
create index transactions_due on transactions (coalesce(provider_config_id, ''), next_check_at, id)
    where status = 'pending' and parked_at is null;
drop index transactions_unstarted;
create index transactions_unstarted on transactions (started_epoch, id)
    where status = 'pending' and (subscription_id is null or type = 'refund');
create index transactions_unstarted_served on transactions (started_epoch, id)
    where status = 'pending' and subscription_id is not null and type = 'charge';
drop index provider_callbacks_told;
create index provider_callbacks_told on provider_callbacks (provider_config_id, received_at, id)
    where processed_at is null and transaction_id is not null;
drop index provider_callbacks_open;
create index provider_callbacks_unclaimed_age on provider_callbacks (received_at) where processed_at is null and transaction_id is null;
