-- name: EmailSenderInsert :exec
insert into email_senders (
    environment_id, id, from_email, from_name, reply_to, host, port, security, user_name, password_sealed, dkim_domain, dkim_selector,
    dkim_key_sealed, kinds, allowed_recipients, created_at, updated_at
) values (
    @environment_id, @id, @from_email, @from_name, @reply_to, @host, @port, @security, @user_name, @password_sealed, @dkim_domain,
    @dkim_selector, @dkim_key_sealed, @kinds, @allowed_recipients, @created_at, @created_at
);

-- name: EmailSenderGet :one
-- The app's wrapped keyset comes along, since nothing that is sealed can be opened without it.
select sqlc.embed(s), e.mode, e.app_id, a.keyset
from email_senders s
join environments e on e.id = s.environment_id
join apps a on a.id = e.app_id
where s.environment_id = @environment_id and s.deleted_at is null;

-- name: EmailSenderGetToSend :one
-- Also a deleted one: its remaining mails must be canceled.
select sqlc.embed(s), e.mode, e.app_id, a.keyset
from email_senders s
join environments e on e.id = s.environment_id
join apps a on a.id = e.app_id
where s.environment_id = @environment_id and s.id = @id;

-- name: EmailSenderLockEnvironment :one
-- Changes of the sender of an environment happen one after the other.
select e.mode, e.app_id
from environments e
where e.id = @environment_id
for no key update;

-- name: EmailSenderUpdate :exec
-- The environment is locked. What a worker noted of the old server counts no longer.
update email_senders s
set from_email = @from_email, from_name = @from_name, reply_to = @reply_to, host = @host, port = @port, security = @security,
    user_name = @user_name, password_sealed = @password_sealed, dkim_domain = @dkim_domain, dkim_selector = @dkim_selector,
    dkim_key_sealed = @dkim_key_sealed, kinds = @kinds, allowed_recipients = @allowed_recipients,
    deleted_at = sqlc.narg('deleted_at'), failing_since = null, failure_class = null, failure_text = null,
    wake_pending_since = @now::timestamptz, revision = revision + 1, updated_at = @now::timestamptz
where s.environment_id = @environment_id and s.id = @id;

-- name: EmailSenderClearWakePending :exec
-- Until the look that follows has ended, the sender counts as due now: should its workflow be lost meanwhile, the
-- reconciler wakes it.
update email_senders set wake_pending_since = null, next_attempt_at = @now
where environment_id = @environment_id and id = @id;

-- name: EmailSenderSetNextAttempt :exec
update email_senders set next_attempt_at = sqlc.narg('next_attempt_at')
where environment_id = @environment_id and id = @id;

-- name: EmailSenderSetFailing :exec
-- Of the revision that failed: a new server has a clean record.
update email_senders
set failing_since = coalesce(failing_since, sqlc.narg('failing_since')), failure_class = sqlc.narg('failure_class'),
    failure_text = sqlc.narg('failure_text')
where environment_id = @environment_id and id = @id and revision = @revision;

-- name: EmailSenderSetWorking :exec
update email_senders set failing_since = null, failure_class = null, failure_text = null
where environment_id = @environment_id and id = @id and failing_since is not null;

-- name: EmailSenderListUnstarted :many
select s.environment_id, s.id
from email_senders s
where s.deleted_at is null and s.started_epoch < @epoch
order by s.started_epoch, s.id
limit @row_limit;

-- name: EmailSenderSetStarted :exec
-- In id order, as everywhere where several are locked.
with unmarked as (
    select s.environment_id, s.id
    from email_senders s
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) started
        on s.environment_id = started.environment_id and s.id = started.id
    where s.started_epoch < @epoch
    order by s.id
    for no key update of s
)
update email_senders s
set started_epoch = @epoch
from unmarked u
where s.environment_id = u.environment_id and s.id = u.id;

-- name: EmailSenderListAsleep :many
-- Senders whose signal did not arrive, or whose due work is late.
select s.environment_id, s.id
from (
    (select p.environment_id, p.id, p.wake_pending_since as since
     from email_senders p
     where p.wake_pending_since < @wake_before
     order by p.wake_pending_since
     limit @row_limit::int)
    union all
    (select d.environment_id, d.id, d.next_attempt_at
     from email_senders d
     where d.next_attempt_at < @due_before
     order by d.next_attempt_at
     limit @row_limit::int)
) s
group by s.environment_id, s.id
order by min(s.since), s.id
limit @row_limit::int;

-- name: EmailSenderLockOfApp :many
select s.environment_id, s.id, s.password_sealed, s.dkim_key_sealed
from email_senders s
join environments e on e.id = s.environment_id
where e.app_id = @app_id and (s.password_sealed is not null or s.dkim_key_sealed is not null)
order by s.id
for no key update of s;

-- name: EmailSenderReseal :exec
-- The revision stays: the change affects no reader.
update email_senders s set password_sealed = @password_sealed, dkim_key_sealed = @dkim_key_sealed
where s.environment_id = @environment_id and s.id = @id;
