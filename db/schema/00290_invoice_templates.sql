-- How an environment's documents look, and what was drawn of them: docs/adr/0093-templates.md.
--
-- Stepping back: builds from before draw all documents by the built-in template, and keep no drawings.

-- +goose Up
create table invoice_templates (
    id             text        not null,
    environment_id text        not null references environments,
    position       bigint      not null,
    version        integer     not null check (version > 0),
    source         text        not null, -- empty: the built-in layout
    accent         text        not null, -- empty: the layout's
    logo_type      text,                 -- null: no logo
    logo           bytea,
    texts          jsonb       not null check (jsonb_typeof(texts) = 'object'),
    published      boolean     not null default false, -- documents that are drawn for the first time are drawn by it
    published_at   timestamptz,                        -- the last time; null: never
    -- The last document that could not be drawn by it, and why.
    failed_at      timestamptz,
    failed_on      text,
    failure        text,
    created_at     timestamptz not null,
    primary key (environment_id, id),
    unique (environment_id, version),
    check ((logo is null) = (logo_type is null)),
    check (not published or published_at is not null),
    check ((failed_at is null) = (failed_on is null) and (failed_at is null) = (failure is null))
);
create trigger invoice_templates_take_position before insert on invoice_templates for each row execute function take_position();
create unique index invoice_templates_position on invoice_templates (environment_id, position);
create unique index invoice_templates_published on invoice_templates (environment_id) where published;

-- The last drawings of an invoice, a credit note or a receipt, so that it has the same bytes for as long as it shows the same.
create table drawn_documents (
    environment_id text        not null,
    document_id    text        not null,
    customer_id    text        not null,
    template_id    text,                 -- that of the first drawing; null: the built-in one
    page_digest    bytea,                -- of what the page shows
    page           bytea,
    paper_digest   bytea,
    paper          bytea,
    drawn_at       timestamptz not null,
    primary key (environment_id, document_id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, template_id) references invoice_templates (environment_id, id),
    check ((page is null) = (page_digest is null)),
    check ((paper is null) = (paper_digest is null))
);
create index drawn_documents_customer on drawn_documents (environment_id, customer_id);
create index drawn_documents_template on drawn_documents (environment_id, template_id);

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from invoice_templates';
end $$;
-- +goose StatementEnd
