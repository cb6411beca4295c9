#!/usr/bin/env python3
"""Compares ClickHouse with PostgreSQL as a store of usage records (ADR 55).

Both get the same rows, in the schema of ADR 55 and in that of db/schema/00110_usage.sql, and answer the same questions:
the sum and the unique keys of one subscription's month, and a metric's totals by subscription and hour, which a rebuild
needs. It also loads batches into both, and compares the cost of an outbox in PostgreSQL with that of the table which it
would relieve. It compares the answers of both, and ends at the first difference.

The engine is chdb, which runs ClickHouse in this process without network and server. A server would be a little slower
at single questions. PostgreSQL has its own connection, and its present settings.

    python3 -m venv .perennial/chdb && .perennial/chdb/bin/pip install chdb 'psycopg[binary]'
    .perennial/chdb/bin/python bench/clickhouse/compare.py --postgres postgres://… --million 1,5,20

It creates a separate schema in the PostgreSQL database, and drops it at the end. It prints a table in Markdown.
"""

import argparse
import csv
import os
import shutil
import statistics
import sys
import tempfile
import time

SUBSCRIPTIONS = 10_000
USERS = 500  # keys of a subscription
BATCH = 100_000  # rows of one load from an outbox
SMALL = 1_000  # rows of a request
START = "2026-10-01 00:00:00"
MONTH = 30 * 24 * 3600
SCHEMA = "bench_clickhouse"

POSTGRES_TABLES = f"""
create schema {SCHEMA};
set search_path = {SCHEMA};
create sequence usage_position;
create table usage_records (
    position bigint not null default nextval('usage_position'), at timestamptz not null,
    received_at timestamptz not null default now(), environment_id text not null, subscription_id text not null,
    metric_id text not null, id text not null, quantity numeric not null, properties jsonb, corrects text
) partition by range (received_at);
create index usage_records_period on usage_records (environment_id, subscription_id, metric_id, at);
create index usage_records_tail on usage_records (environment_id, metric_id, position);
create table usage_records_all partition of usage_records default;
create table usage_keys (
    environment_id text not null, key text not null collate "C", at timestamptz not null, fingerprint bytea not null,
    record_id text not null, primary key (environment_id, key)
);
create table usage_outbox (
    position bigint primary key default nextval('usage_position'), at timestamptz not null, environment_id text not null,
    subscription_id text not null, metric_id text not null, id text not null, quantity numeric not null,
    properties jsonb, corrects text
);
create table usage_aggregates (
    bucket timestamptz not null, environment_id text not null, subscription_id text not null, version_id text not null,
    state jsonb not null, primary key (environment_id, subscription_id, version_id, bucket)
);
"""

CLICKHOUSE_TABLE = """
create table usage_records (
    environment_id LowCardinality(String), subscription_id String, metric_id LowCardinality(String), at DateTime64(6, 'UTC'),
    position UInt64, id String, quantity Decimal(38, 12), properties Map(LowCardinality(String), String), corrects String
) engine = ReplacingMergeTree(position)
partition by toYYYYMM(at)
order by (environment_id, subscription_id, metric_id, at, id)
"""

# One row for each number n, equal in both: n is the order of receipt, and times increase with it.
POSTGRES_ROW = f"""
    '{START}+00'::timestamptz + make_interval(secs => (n::float8 * {MONTH} / %(total)s)::bigint) as at,
    'env_01jcz6dyqx4w9s1c2k7v5h8m3n' as environment_id, 'sub_01jcz6dyqx4w9s1c2k7v' || lpad((n %% {SUBSCRIPTIONS})::text, 6, '0')
    as subscription_id, 'met_01jcz6dyqx4w9s1c2k7v5h8m3n' as metric_id, 'usg_01jcz6dyqx4w9s' || lpad(n::text, 12, '0') as id,
    ((n * 7919) %% 1000)::numeric / 10 as quantity,
    jsonb_build_object('user', 'u' || ((n / {SUBSCRIPTIONS} * 7919) %% {USERS})::text, 'region', 'r' || (n %% 5)::text) as properties
"""
CLICKHOUSE_ROW = f"""
    'env_01jcz6dyqx4w9s1c2k7v5h8m3n' as environment_id,
    concat('sub_01jcz6dyqx4w9s1c2k7v', leftPad(toString(n % {SUBSCRIPTIONS}), 6, '0')) as subscription_id,
    'met_01jcz6dyqx4w9s1c2k7v5h8m3n' as metric_id,
    toDateTime64('{START}', 6, 'UTC') + toIntervalSecond(toInt64(roundBankers(n * {MONTH} / TOTAL))) as at,
    n as position, concat('usg_01jcz6dyqx4w9s', leftPad(toString(n), 12, '0')) as id,
    toDecimal128((n * 7919) % 1000, 12) / 10 as quantity,
    map('user', concat('u', toString((intDiv(n, {SUBSCRIPTIONS}) * 7919) % {USERS})), 'region', concat('r', toString(n % 5)))
    as properties, '' as corrects
"""


class Postgres:
    name = "PostgreSQL"

    def __init__(self, url):
        import psycopg

        self.conn = psycopg.connect(url, autocommit=True)
        self.conn.execute(f"drop schema if exists {SCHEMA} cascade")
        for statement in POSTGRES_TABLES.split(";"):
            if statement.strip():
                self.conn.execute(statement)

    def version(self):
        return self.rows("show server_version")[0][0]

    def rows(self, sql, **values):
        return self.conn.execute(sql, values).fetchall()

    def fill(self, first, total):
        self.conn.execute(
            f"insert into usage_records (position, {COLUMNS}) select n, {COLUMNS} from "
            f"(select n, {POSTGRES_ROW} from generate_series(%(first)s::bigint, %(total)s::bigint - 1) n) r",
            {"first": first, "total": total},
        )
        self.conn.execute("vacuum analyze usage_records")

    def load(self, file):
        with self.conn.cursor() as cursor, open(file, "rb") as rows:
            with cursor.copy(f"copy usage_records (position, {COLUMNS}) from stdin with csv") as copy:
                while data := rows.read(1 << 16):
                    copy.write(data)

    def sum_of(self, subscription):
        return self.rows(
            "select sum(quantity)::text from usage_records where environment_id = %(e)s and subscription_id = %(s)s and "
            "metric_id = %(m)s and at >= %(from)s and at < %(to)s", **question(subscription)
        )[0][0]

    def unique_of(self, subscription):
        return self.rows(
            "select count(distinct properties ->> 'user') from usage_records where environment_id = %(e)s and "
            "subscription_id = %(s)s and metric_id = %(m)s and at >= %(from)s and at < %(to)s", **question(subscription)
        )[0][0]

    def by_hour(self):
        return self.rows(
            "select count(*), sum(total)::text from (select subscription_id, date_trunc('hour', at), sum(quantity) as total "
            "from usage_records where environment_id = %(e)s and metric_id = %(m)s group by 1, 2) h", **question(0)
        )[0]

    def aggregate(self):
        self.conn.execute("truncate usage_aggregates")
        self.conn.execute(
            "insert into usage_aggregates select date_trunc('hour', at), environment_id, subscription_id, metric_id, "
            "jsonb_build_object('n', count(*), 'sum', sum(quantity)) from usage_records group by 1, 2, 3, 4"
        )
        self.conn.execute("vacuum analyze usage_aggregates")

    def aggregated_sum_of(self, subscription):
        return self.rows(
            "select sum((state ->> 'sum')::numeric)::text from usage_aggregates where environment_id = %(e)s and "
            "subscription_id = %(s)s and version_id = %(m)s and bucket >= %(from)s and bucket < %(to)s", **question(subscription)
        )[0][0]

    def size(self):
        return self.rows(f"select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace s on "
                         f"s.oid = c.relnamespace where s.nspname = '{SCHEMA}' and c.relname like 'usage_records%%' "
                         "and c.relkind = 'r'")[0][0]

    def request(self, first, table, total):
        """Writes one request of records: keys, and the records in a table."""
        columns = COLUMNS if table == "usage_records" else COLUMNS
        self.conn.execute(
            f"with r as (select n, {POSTGRES_ROW} from generate_series(%(first)s::bigint, %(first)s::bigint + {SMALL} - 1) n), "
            "k as (insert into usage_keys select environment_id, id, at, decode(md5(id), 'hex'), id from r on conflict do nothing "
            f"returning record_id) insert into {table} ({columns}) select {columns} from r where (id in (select record_id from k)) "
            "is true", {"first": first, "total": total},
        )

    def close(self):
        self.conn.execute(f"drop schema {SCHEMA} cascade")
        self.conn.close()


COLUMNS = "at, environment_id, subscription_id, metric_id, id, quantity, properties"


class ClickHouse:
    name = "ClickHouse"

    def __init__(self, folder):
        from chdb import session

        self.session = session.Session(folder)
        self.run("create database usage")
        self.run(CLICKHOUSE_TABLE.replace("usage_records", "usage.usage_records"))

    def run(self, sql):
        return str(self.session.query(sql, "TSV")).strip()

    def version(self):
        return self.run("select version()")

    def fill(self, first, total):
        self.run(f"insert into usage.usage_records select {CLICKHOUSE_ROW.replace('TOTAL', str(total))} from "
                 f"(select number as n from numbers({first}, {total - first}))")

    def load(self, file):
        self.run("insert into usage.usage_records select environment_id, subscription_id, metric_id, at, position, id, quantity, "
                 "cast(JSONExtractKeysAndValues(properties, 'String'), 'Map(String, String)'), '' from "
                 f"file('{file}', 'CSV', 'position UInt64, at DateTime64(6, \\'UTC\\'), environment_id String, subscription_id "
                 "String, metric_id String, id String, quantity Decimal(38, 12), properties String') "
                 "settings date_time_input_format = 'best_effort'")

    def where(self, subscription):
        q = question(subscription)
        return (f"environment_id = '{q['e']}' and subscription_id = '{q['s']}' and metric_id = '{q['m']}' "
                f"and at >= toDateTime64('{START}', 6, 'UTC') and at < toDateTime64('2026-11-01 00:00:00', 6, 'UTC')")

    def sum_of(self, subscription):
        return self.run(f"select sum(quantity) from usage.usage_records final where {self.where(subscription)}")

    def unique_of(self, subscription):
        return int(self.run("select uniqExact(properties['user']) from usage.usage_records final where "
                            f"{self.where(subscription)}"))

    def by_hour(self):
        q = question(0)
        return self.run("select count(), sum(total) from (select subscription_id, toStartOfHour(at), sum(quantity) as total "
                        f"from usage.usage_records final where environment_id = '{q['e']}' and metric_id = '{q['m']}' "
                        "group by 1, 2)").split("\t")

    def size(self):
        return int(self.run("select sum(bytes_on_disk) from system.parts where active and database = 'usage'"))

    def close(self):
        self.session.close()


def question(subscription):
    return {
        "e": "env_01jcz6dyqx4w9s1c2k7v5h8m3n", "s": f"sub_01jcz6dyqx4w9s1c2k7v{subscription:06d}",
        "m": "met_01jcz6dyqx4w9s1c2k7v5h8m3n", "from": START + "+00", "to": "2026-11-01 00:00:00+00",
    }


def took(do):
    began = time.perf_counter()
    answer = do()
    return time.perf_counter() - began, answer


def number(value):
    """Returns the common form of both stores' numbers: 12.5 and 12.500000000000 are equal."""
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def ask(stores, name, rounds):
    """Asks all stores the same questions, with another subscription each time; returns the medians in milliseconds."""
    times = {s.name: [] for s in stores}
    for i in range(rounds + 1):
        answers = []
        for s in stores:
            seconds, answer = took(lambda: getattr(s, name)(*([] if name == "by_hour" else [i * 37 % SUBSCRIPTIONS])))
            if i > 0:
                times[s.name].append(seconds * 1000)
            answers.append([number(a) for a in answer] if name == "by_hour" else number(answer))
        if any(a != answers[0] for a in answers):
            sys.exit(f"{name} of {i}: the answers differ: {answers}")
    return {of: statistics.median(t) for of, t in times.items()}


def write_batch(file, first, rows, total):
    """Writes rows after the filled ones, all in the last second of the month."""
    with open(file, "w", newline="") as out:
        writer = csv.writer(out)
        for n in range(first, first + rows):
            q = question(n % SUBSCRIPTIONS)
            writer.writerow([
                n, "2026-10-30 23:59:59+00:00", q["e"], q["s"], q["m"], f"usg_01jcz6dyqx4w9s{n:012d}",
                (n * 7919 % 1000) / 10, f'{{"user": "u{n % USERS}", "region": "r{n % 5}"}}',
            ])


def compare(stores, million, folder, filled):
    total = int(million * 1_000_000)
    out = [("rows", f"{million:g} million", "")]

    def line(what, values, unit):
        shown = [f"{values[s.name]:.3g}" if s.name in values else "–" for s in stores]
        out.append((f"{what}, {unit}", *shown))
        print(f"  {what}: {', '.join(shown)} {unit}", file=sys.stderr)

    line("bulk fill", {s.name: (total - filled) / 1000 / took(lambda: s.fill(filled, total))[0] for s in stores},
         "thousand rows/s")
    at, loads = total, {s.name: [] for s in stores}
    small = {s.name: [] for s in stores}
    for _ in range(5):
        for rows, times in ((BATCH, loads), (SMALL, small)):
            file = os.path.join(folder, "batch.csv")
            write_batch(file, at, rows, total)
            at += rows
            for s in stores:
                times[s.name].append(took(lambda: s.load(file))[0] * 1000)
    line(f"load {BATCH:,} rows", {k: statistics.median(v) for k, v in loads.items()}, "ms")
    line(f"load {SMALL:,} rows", {k: statistics.median(v) for k, v in small.items()}, "ms")
    line("sum of a subscription's month, from records", ask(stores, "sum_of", 20), "ms")
    line("unique keys of it, from records", ask(stores, "unique_of", 20), "ms")
    line("all subscriptions by hour", ask(stores, "by_hour", 1), "ms")
    pg = stores[0]
    pg.aggregate()
    line("sum of a subscription's month, from aggregates", ask([pg], "aggregated_sum_of", 20), "ms")
    line("bytes of a row, indexes included", {s.name: s.size() / at for s in stores}, "bytes")
    return out, at


def outbox(pg, first, total):
    """Measures a request of records with the records' table, and with an outbox that is emptied after each batch."""
    times = {"usage_records": [], "usage_outbox": []}
    emptied = 0.0
    requests = BATCH // SMALL
    for table in times:
        for i in range(requests):
            times[table].append(took(lambda: pg.request(first + i * SMALL, table, total))[0] * 1000)
        first += BATCH
        if table == "usage_outbox":
            emptied = took(lambda: pg.conn.execute("delete from usage_outbox"))[0] * 1000
            emptied += took(lambda: pg.conn.execute("vacuum usage_outbox"))[0] * 1000
    direct, staged = (statistics.median(t) for t in times.values())
    return (f"A request of {SMALL:,} records, keys included: {direct:.1f} ms into usage_records, {staged:.1f} ms into the "
            f"outbox and {emptied / requests:.1f} ms for emptying it.")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--postgres", required=True, help="a database that may get a schema of its own")
    p.add_argument("--million", default="1,5,20", help="how many million rows, in steps (default 1,5,20)")
    p.add_argument("--dir", help="where ClickHouse keeps its data meanwhile (default: a temporary folder)")
    o = p.parse_args()
    folder = tempfile.mkdtemp(dir=o.dir)
    stores = []
    try:
        stores = [Postgres(o.postgres), ClickHouse(os.path.join(folder, "data"))]
        print(f"{', '.join(f'{s.name} {s.version()}' for s in stores)}; {os.cpu_count()} cores; load average "
              f"{os.getloadavg()[0]:.1f} at the beginning\n")
        filled, tables = 0, []
        for million in (float(m) for m in o.million.split(",")):
            print(f"{million:g} million rows", file=sys.stderr)
            rows, filled = compare(stores, million, folder, filled)
            tables.append(rows)
        print("| | " + " | ".join(f"{s.name}, {t[0][1]}" for t in tables for s in stores) + " |")
        print("|---" * (1 + len(tables) * len(stores)) + "|")
        for lines in zip(*(t[1:] for t in tables)):
            print("| " + lines[0][0] + " | " + " | ".join(v for one in lines for v in (one[1:] + ("–",))[:len(stores)]) + " |")
        print("\n" + outbox(stores[0], filled, filled) + f" Load average {os.getloadavg()[0]:.1f} at the end.")
    finally:
        for s in stores:
            s.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
