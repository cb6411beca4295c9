-- The rights of the programs in this database; the owner migrates. Logins are members of these roles. Each run begins
-- with no rights, so that a table is in one list or the other, and a program does not keep a right that it no longer
-- needs.
do $$
declare
    role text;
begin
    foreach role in array array ['perennial_api', 'perennial_worker', 'perennial_read'] loop
        begin
            execute format('create role %I nologin', role);
        exception when duplicate_object or unique_violation then null; -- of another database of the server, or made meanwhile
        end;
    end loop;
end $$;

revoke all on all tables in schema public from perennial_api, perennial_worker, perennial_read;
revoke all on all sequences in schema public from perennial_api, perennial_worker, perennial_read;
revoke create on schema public from public, perennial_api, perennial_worker, perennial_read;
grant usage on schema public to perennial_api, perennial_worker, perennial_read;

-- Both programs add rows. Triggers, which only the owner can disable, refuse changes of rows that must not change.
grant select, insert, update on all tables in schema public to perennial_api, perennial_worker;
grant usage, select on all sequences in schema public to perennial_api, perennial_worker;
revoke insert, update on goose_db_version from perennial_api, perennial_worker;
-- A right that a build no longer uses is revoked one release later: the build before still runs.

-- Rows that are written once.
revoke update on audit_log, audit_seals, credential_changes, credit_entries, credit_note_lines, decisions, environment_changes,
    feature_limits_reached, setting_changes, settlements, usage_charges, usage_crossings, usage_segments, webhook_endpoint_changes from perennial_api, perennial_worker;

-- A worker does not change tenants, keys and credentials. It does disable endpoints.
revoke insert, update on tenants, apps, environments, api_keys, api_key_buckets, catalog_entries, plans, prices, products, coupons, tax_rates, metrics,
    environment_changes, setting_changes, routing_rules, provider_credentials, credential_changes, decisions, audit_log, audit_seals
    from perennial_worker;
revoke insert on provider_configs, webhook_endpoints, email_senders, invoice_templates, imported_records from perennial_worker;
revoke update on events, temporal_epoch, workers from perennial_api;
revoke insert, update on usage_pages from perennial_api;

-- A note of the ledger is erased, and where a call came from.
grant update (address, address_salt) on audit_log to perennial_worker;
grant update (note) on credit_entries to perennial_api, perennial_worker;
-- Which customers follow a new policy is a worker's note.
grant update (overdue_sweep) on environments to perennial_worker;

-- Rows that are not kept for ever. Of invoices and their lines a trigger allows only the deletion of drafts: the API
-- deletes them, and workers those that another draft replaces.
grant delete on invoices, invoice_lines to perennial_api, perennial_worker;
grant delete on invoice_templates, provider_credentials, routing_rules, usage_aggregates, usage_touched to perennial_api;
grant delete on idempotency_keys, workers, provider_callbacks, usage_pages, webhook_attempts, webhook_deliveries, emails to perennial_worker;

-- People and reports: no secrets, sealed or hashed, no links that act for a payer, and no columns that may have them.
-- Columns of JSON and bytes, including those of later tables, are hidden except for those named here.
do $$
declare
    hidden constant text[] := array['transactions.confirm_token', 'transactions.action_url', 'transactions.action_brought', 'webhook_endpoints.url',
        'webhook_attempts.error_text', 'emails.body_text', 'emails.body_html', 'email_senders.failure_text'];
    shown constant text[] := array['audit_log.changes', 'credit_grants.metadata', 'credit_notes.taxes', 'customers.address', 'customers.features', 'customers.metadata', 'customers.overdue', 'customers.overdue_policy', 'customers.tax_ids', 'environments.dunning', 'environments.overdue_policy',
        'environments.seller', 'invoice_lines.discounts', 'invoice_lines.explanation', 'invoices.buyer', 'invoices.grants_used', 'invoices.metadata', 'invoices.seller',
        'invoices.taxes', 'invoices.usage_failure',
        'plans.dunning', 'plans.features', 'plans.metadata', 'prices.currencies', 'prices.parameters', 'products.metadata', 'subscriptions.discounts',
        'subscriptions.metadata', 'subscriptions.pending_lines', 'subscriptions.scheduled_changes', 'transactions.disputes'];
    giving record;
begin
    for giving in
        select c.relname as name, string_agg(quote_ident(a.attname), ', ') as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
          and not c.relname || '.' || a.attname = any (hidden)
          and (a.atttypid not in ('json'::regtype, 'jsonb'::regtype, 'bytea'::regtype) or c.relname || '.' || a.attname = any (shown))
        group by c.relname
    loop
        execute format('grant select (%s) on %I to perennial_read', giving.columns, giving.name);
    end loop;
end $$;
