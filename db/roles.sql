-- What the programs may do in this database, beside the owner, who migrates. Logins are members of these roles. Each run
-- begins with nothing, so that a table is in one list or the other, and a program does not keep what it no longer needs.
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

-- Both programs add to what is there. What must not change is refused by triggers, which only the owner can switch off.
grant select, insert, update on all tables in schema public to perennial_api, perennial_worker;
grant usage on all sequences in schema public to perennial_api, perennial_worker;
revoke insert, update on goose_db_version from perennial_api, perennial_worker;

-- What was written once.
revoke update on credential_changes, credit_entries, credit_note_lines, decisions, environment_changes, setting_changes,
    settlements, webhook_endpoint_changes from perennial_api, perennial_worker;

-- Whose data is whose, and with which keys, is no matter of a worker.
revoke insert, update on tenants, apps, environments, api_keys, api_key_buckets, plans, prices, products, coupons, tax_rates,
    environment_changes, setting_changes, webhook_endpoint_changes, routing_rules from perennial_worker;

-- What is no record for ever.
grant delete on provider_credentials, routing_rules, webhook_attempts to perennial_api;
grant delete on provider_credentials, idempotency_keys, workers, provider_callbacks, webhook_attempts, webhook_deliveries
    to perennial_worker;

-- People and reports: everything but secrets, sealed or hashed, links that act for a payer, and bodies that may hold them.
grant select on all tables in schema public to perennial_read;
do $$
declare
    hidden constant jsonb := '{
        "api_keys": ["hash"], "api_key_details": ["hash"], "apps": ["keyset"],
        "idempotency_keys": ["fingerprint", "response"], "imported_records": ["hash"],
        "provider_configs": ["secret_key_sealed", "webhook_secret_sealed"],
        "provider_credentials": ["sealed"], "transactions": ["confirm_token"],
        "webhook_endpoints": ["secret_sealed", "previous_secret_sealed"]}';
    hiding record;
begin
    for hiding in select key as name, value as columns from jsonb_each(hidden) loop
        execute format('revoke select on %I from perennial_read', hiding.name);
        execute (
            select format('grant select (%s) on %I to perennial_read', string_agg(quote_ident(attname), ', '), hiding.name)
            from pg_attribute
            where attrelid = hiding.name::regclass and attnum > 0 and not attisdropped and not hiding.columns ? attname::text);
    end loop;
end $$;
