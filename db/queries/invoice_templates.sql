-- name: InvoiceTemplateInsert :one
-- The environment is locked, so that versions count on.
with written as (
    insert into invoice_templates (environment_id, id, version, source, accent, logo_type, logo, texts, created_at)
    select @environment_id, @id, coalesce(max(t.version), 0) + 1, @source, @accent, sqlc.narg('logo_type')::text,
        sqlc.narg('logo')::bytea, @texts::jsonb, @created_at::timestamptz
    from invoice_templates t
    where t.environment_id = @environment_id
    returning version
)
select w.version from written w;

-- name: InvoiceTemplateGetWithKey :one
select sqlc.embed(k), sqlc.embed(t)
from api_key_details k
join invoice_templates t on t.environment_id = k.environment_id and t.id = @id
where k.hash = @hash;

-- name: InvoiceTemplateGet :one
select sqlc.embed(t) from invoice_templates t where t.environment_id = @environment_id and t.id = @id;

-- name: InvoiceTemplateLock :one
-- Waits for drawings by it that are being kept.
select sqlc.embed(t) from invoice_templates t where t.environment_id = @environment_id and t.id = @id for update;

-- name: InvoiceTemplateList :many
-- Without source, logo and texts, which are large.
select t.id, t.version, t.source = '' as built_in, t.accent, t.published, t.published_at, t.failed_at, t.failed_on, t.failure, t.created_at
from invoice_templates t
where t.environment_id = @environment_id and t.position < @below::bigint and t.position > @above::bigint
order by case when @forward::boolean then t.position end, t.position desc
limit @row_limit;

-- name: InvoiceTemplateCount :one
select count(*)::integer as templates from invoice_templates t where t.environment_id = @environment_id;

-- name: InvoiceTemplateUnpublish :exec
-- The environment is locked.
update invoice_templates t set published = false where t.environment_id = @environment_id and t.published;

-- name: InvoiceTemplatePublish :exec
-- What failed before is of the past: it was looked at.
update invoice_templates t
set published = true, published_at = @now::timestamptz, failed_at = null, failed_on = null, failure = null
where t.environment_id = @environment_id and t.id = @id;

-- name: InvoiceTemplateFailed :exec
update invoice_templates t
set failed_at = @now::timestamptz, failed_on = @document_id::text, failure = @failure::text
where t.environment_id = @environment_id and t.id = @id;

-- name: DrawnDocumentGet :one
-- What was drawn in a form, with the template that the document keeps, or the published one where nothing was drawn;
-- neither: the built-in one.
select (case when @paper::boolean then d.paper_digest else d.page_digest end)::bytea as digest,
    (case when @paper::boolean then d.paper else d.page end)::bytea as content,
    t.id, t.version, t.source, t.accent, t.logo_type, t.logo, t.texts
from environments e
left join drawn_documents d on d.environment_id = @environment_id and d.document_id = @document_id
left join invoice_templates t on t.environment_id = e.id
    and case when d.document_id is null then t.published else t.id = d.template_id end
where e.id = @environment_id;

-- name: DrawnDocumentKeep :one
-- Unless the document keeps another template since it was read, or the template is gone. What was drawn by another one counts no longer. Of an
-- erased customer nothing is kept.
with payer as (
    select c.environment_id, c.id, c.erased_at is null as present
    from customers c
    where c.environment_id = @environment_id and c.id = @customer_id
    for share
), look as (
    -- One that is deleted meanwhile is waited for.
    select t.id from invoice_templates t
    where t.environment_id = @environment_id and t.id = sqlc.narg('template_id')::text
    for key share
), written as (
    insert into drawn_documents as d (
        environment_id, document_id, customer_id, template_id, page_digest, page, paper_digest, paper, drawn_at
    )
    select p.environment_id, @document_id::text, p.id, sqlc.narg('template_id')::text, sqlc.narg('page_digest')::bytea,
        sqlc.narg('page')::bytea, sqlc.narg('paper_digest')::bytea, sqlc.narg('paper')::bytea, @now::timestamptz
    from payer p
    where p.present and (sqlc.narg('template_id')::text is null or exists (select from look))
    on conflict (environment_id, document_id) do update
    set template_id = excluded.template_id, drawn_at = excluded.drawn_at,
        page_digest = case when excluded.page is null and d.template_id is not distinct from excluded.template_id
            then d.page_digest else excluded.page_digest end,
        page = case when excluded.page is null and d.template_id is not distinct from excluded.template_id
            then d.page else excluded.page end,
        paper_digest = case when excluded.paper is null and d.template_id is not distinct from excluded.template_id
            then d.paper_digest else excluded.paper_digest end,
        paper = case when excluded.paper is null and d.template_id is not distinct from excluded.template_id
            then d.paper else excluded.paper end
    where d.template_id is not distinct from sqlc.narg('was')::text
    returning 1
)
select (exists (select from written) or exists (select from payer p where not p.present))::boolean as kept;

-- name: InvoiceTemplateDelete :one
-- Unless it is published, or documents keep it. It is locked: a drawing by it that is being kept has been waited for.
with gone as (
    delete from invoice_templates t
    where t.environment_id = @environment_id and t.id = @id and not t.published
      and not exists (select from drawn_documents d where d.environment_id = t.environment_id and d.template_id = t.id)
    returning 1
)
select exists (select from gone) as deleted;
