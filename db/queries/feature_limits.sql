-- name: FeatureLimitReachedInsert :many
-- None: it was noted before.
insert into feature_limits_reached (environment_id, customer_id, feature, most, resets_at, reached_at)
values (@environment_id, @customer_id, @feature, @most, coalesce(sqlc.narg('resets_at')::timestamptz, 'infinity'), @reached_at)
on conflict do nothing
returning feature;
