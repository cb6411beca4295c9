-- The trigger that counts periods for builds from before 00050 leaves subscriptions alone that count by an add-on with a
-- shorter interval (ADR 87): the period around the change becomes shorter, and keeps its index. Those builds know no such
-- subscriptions.
--
-- Stepping back: nothing.

-- +goose Up
create or replace trigger count_period before update on subscriptions for each row
    when (new.period_index = old.period_index and new.next_period > 0 and new.plan_interval_unit is null
          and (new.next_period, new.current_period_start, new.current_period_end, new.interval_unit, new.interval_count)
              is distinct from
              (old.next_period, old.current_period_start, old.current_period_end, old.interval_unit, old.interval_count))
    execute function count_period();
