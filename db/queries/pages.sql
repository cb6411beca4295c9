-- Where a page of a list begins and ends: see db/core/page.go.

-- name: PageBounds :one
-- The scope is an environment, or a tenant for its apps. Positions begin at 1: 0 says that there is no such row.
select h.horizon::bigint as horizon, h.last::bigint as last,
    coalesce((select p.position from list_positions p where p.scope = @scope and p.id = @starting_after), 0)::bigint as below,
    coalesce((select p.position from list_positions p where p.scope = @scope and p.id = @ending_before), 0)::bigint as above
from list_horizon(@scope::text) h;
