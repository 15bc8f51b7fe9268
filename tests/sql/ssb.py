"""The star schema benchmark: SQL that makes its tables, and its 13 queries.

P. O'Neil, E. O'Neil, X. Chen, S. Revilak: The star schema benchmark and augmented fact table indexing. TPCTC 2009.
"""

REGIONS = {
    "AFRICA": ["ALGERIA", "ETHIOPIA", "KENYA", "MOROCCO", "MOZAMBIQUE"], "AMERICA": ["ARGENTINA", "BRAZIL", "CANADA", "PERU", "UNITED STATES"],
    "ASIA": ["CHINA", "INDIA", "INDONESIA", "JAPAN", "VIETNAM"], "EUROPE": ["FRANCE", "GERMANY", "ROMANIA", "RUSSIA", "UNITED KINGDOM"],
    "MIDDLE EAST": ["EGYPT", "IRAN", "IRAQ", "JORDAN", "SAUDI ARABIA"],
}  # fmt: skip
NATIONS = [(nation, region) for region, nations in REGIONS.items() for nation in nations]
COLORS = ["almond", "azure", "beige", "blue", "coral", "cream", "forest", "ghost", "ivory", "khaki", "lace", "lemon", "linen", "navy", "olive", "peru", "plum", "rose"]
TYPES = [f"{a} {b} {c}" for a in ["STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"] for b in ["ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"]
         for c in ["TIN", "NICKEL", "BRASS", "STEEL", "COPPER"]]  # fmt: skip
CONTAINERS = [f"{a} {b}" for a in ["SM", "LG", "MED", "JUMBO", "WRAP"] for b in ["CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"]]
SEGMENTS = ["AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"]
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECI", "5-LOW"]
MODES = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]


def random(high, *seeds):
    """SQL for a number below `high`, the same for equal seeds. The hash of several values is their hashes' XOR, so it is hashed again."""
    return f"(hash(hash({', '.join(seeds)})) % {high})::INTEGER"


def one_of(values, *seeds):
    return f"{values}[1 + {random(len(values), *seeds)}]"


def date_key(day):
    return f"strftime({day}, '%Y%m%d')::INTEGER"


def dates():
    return f"""CREATE TABLE date AS
SELECT {date_key('d')} AS d_datekey, strftime(d, '%B %-d, %Y') AS d_date, dayname(d) AS d_dayofweek, monthname(d) AS d_month, year(d)::INTEGER AS d_year,
  (year(d) * 100 + month(d))::INTEGER AS d_yearmonthnum, strftime(d, '%b%Y') AS d_yearmonth, (1 + dayofweek(d))::TINYINT AS d_daynuminweek,
  day(d)::TINYINT AS d_daynuminmonth, dayofyear(d)::SMALLINT AS d_daynuminyear, month(d)::TINYINT AS d_monthnuminyear,
  (1 + (dayofyear(d) - 1) // 7)::TINYINT AS d_weeknuminyear,
  ['Winter', 'Winter', 'Spring', 'Spring', 'Spring', 'Summer', 'Summer', 'Summer', 'Fall', 'Fall', 'Christmas', 'Christmas'][month(d)] AS d_sellingseason,
  dayofweek(d) = 6 AS d_lastdayinweekfl, d = last_day(d) AS d_lastdayinmonthfl, dayofyear(d) IN (1, 185, 359) AS d_holidayfl,
  dayofweek(d) BETWEEN 1 AND 5 AS d_weekdayfl
FROM (SELECT DATE '1992-01-01' + i::INTEGER AS d FROM range(2557) r(i))"""


def people(table, prefix, rows, more=""):
    """Customers or suppliers: each city is its nation's first nine letters and a digit."""
    names, regions = [nation for nation, _ in NATIONS], [region for _, region in NATIONS]
    return f"""CREATE TABLE {table} AS
SELECT (i + 1)::INTEGER AS {prefix}_{prefix == 'c' and 'cust' or 'supp'}key, printf('{table.capitalize()}#%09d', i + 1) AS {prefix}_name,
  substr(md5(i::VARCHAR), 1, 10 + {random(16, 'i', "'address'")}) AS {prefix}_address,
  rpad(substr({names}[n], 1, 9), 9, ' ') || {random(10, 'i', "'city'")} AS {prefix}_city, {names}[n] AS {prefix}_nation, {regions}[n] AS {prefix}_region,
  printf('%d-%03d-%03d-%04d', n + 9, 100 + {random(900, 'i', '1')}, 100 + {random(900, 'i', '2')}, {random(10000, 'i', '3')}) AS {prefix}_phone{more}
FROM (SELECT i, 1 + {random(len(NATIONS), 'i', f"'{table}'")} AS n FROM range({rows}) r(i))"""


def parts(rows):
    color = [one_of(COLORS, "i", seed) for seed in "123"]
    return f"""CREATE TABLE part AS
SELECT (i + 1)::INTEGER AS p_partkey, {color[0]} || ' ' || {color[1]} AS p_name, 'MFGR#' || m AS p_mfgr, 'MFGR#' || m || c AS p_category,
  'MFGR#' || m || c || (1 + {random(40, 'i', "'brand'")}) AS p_brand1, {color[2]} AS p_color, {one_of(TYPES, 'i', "'type'")} AS p_type,
  (1 + {random(50, 'i', "'size'")})::TINYINT AS p_size, {one_of(CONTAINERS, 'i', "'container'")} AS p_container
FROM (SELECT i, 1 + {random(5, 'i', "'mfgr'")} AS m, 1 + {random(5, 'i', "'category'")} AS c FROM range({rows}) r(i))"""


def line_orders(orders, customers, suppliers, parts):
    """One to seven lines an order; prices are those of TPC-H, in cents. A third of the customers have no order."""
    return f"""CREATE TABLE lineorder AS
WITH lines AS (
  SELECT (o // 8 * 32 + o % 8 + 1)::INTEGER AS lo_orderkey, (l + 1)::TINYINT AS lo_linenumber,
    ({random(customers // 3, 'o', "'customer'")} * 3 + 1 + {random(2, 'o', "'third'")})::INTEGER AS lo_custkey,
    1 + {random(parts, 'o', 'l', "'part'")} AS lo_partkey, 1 + {random(suppliers, 'o', 'l', "'supplier'")} AS lo_suppkey,
    DATE '1992-01-01' + {random(2406, 'o', "'day'")} AS ordered, {one_of(PRIORITIES, 'o', "'priority'")} AS lo_orderpriority,
    0::TINYINT AS lo_shippriority, (1 + {random(50, 'o', 'l', "'quantity'")})::TINYINT AS lo_quantity,
    {random(11, 'o', 'l', "'discount'")}::TINYINT AS lo_discount, {random(9, 'o', 'l', "'tax'")}::TINYINT AS lo_tax,
    30 + {random(61, 'o', 'l', "'commit'")} AS days, {one_of(MODES, 'o', 'l', "'mode'")} AS lo_shipmode
  FROM range({orders}) r(o), range(7) s(l) WHERE l <= {random(7, 'o', repr('lines'))}),
priced AS (SELECT *, 90000 + lo_partkey // 10 % 20001 + 100 * (lo_partkey % 1000) AS price FROM lines)
SELECT lo_orderkey, lo_linenumber, lo_custkey, lo_partkey, lo_suppkey, {date_key('ordered')} AS lo_orderdate, lo_orderpriority, lo_shippriority, lo_quantity,
  lo_quantity * price AS lo_extendedprice, (sum(lo_quantity * price // 100 * (100 - lo_discount)) OVER (PARTITION BY lo_orderkey))::INTEGER AS lo_ordtotalprice,
  lo_discount, (lo_quantity * price::BIGINT * (100 - lo_discount) // 100)::INTEGER AS lo_revenue, 6 * price // 10 AS lo_supplycost, lo_tax,
  {date_key('ordered + days')} AS lo_commitdate, lo_shipmode
FROM priced"""


def tables(scale):
    """Statements that create the tables; at scale 1 lineorder has 6 million rows."""
    customers, suppliers, part_rows = max(int(30_000 * scale), 3), max(int(2_000 * scale), 1), max(int(200_000 * scale), 1)
    segment = f", {one_of(SEGMENTS, 'i', repr('segment'))} AS c_mktsegment"
    return [dates(), people("customer", "c", customers, segment), people("supplier", "s", suppliers), parts(part_rows),
            line_orders(int(1_500_000 * scale), customers, suppliers, part_rows)]  # fmt: skip


DATE = "lo_orderdate = d_datekey"
BY_BRAND = f"""SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM lineorder, date, part, supplier
WHERE {DATE} AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey AND {{}} GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1"""
BY_PLACE = f"""SELECT c_{{0}}, s_{{0}}, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND {DATE} AND {{1}} GROUP BY c_{{0}}, s_{{0}}, d_year ORDER BY d_year, revenue DESC, 1, 2"""
PROFIT = f"""SELECT {{0}}, sum(lo_revenue - lo_supplycost) AS profit FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND {DATE} AND {{1}} GROUP BY {{0}} ORDER BY {{0}}"""
REVENUE = f"SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, date WHERE {DATE} AND {{}}"
CITIES = "{0}_city IN ('UNITED KI1', 'UNITED KI5')"
YEARS = "d_year >= 1992 AND d_year <= 1997"

QUERIES = {
    "1.1": REVENUE.format("d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25"),
    "1.2": REVENUE.format("d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35"),
    "1.3": REVENUE.format("d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35"),
    "2.1": BY_BRAND.format("p_category = 'MFGR#12' AND s_region = 'AMERICA'"),
    "2.2": BY_BRAND.format("p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'"),
    "2.3": BY_BRAND.format("p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'"),
    "3.1": BY_PLACE.format("nation", f"c_region = 'ASIA' AND s_region = 'ASIA' AND {YEARS}"),
    "3.2": BY_PLACE.format("city", f"c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND {YEARS}"),
    "3.3": BY_PLACE.format("city", f"{CITIES.format('c')} AND {CITIES.format('s')} AND {YEARS}"),
    "3.4": BY_PLACE.format("city", f"{CITIES.format('c')} AND {CITIES.format('s')} AND d_yearmonth = 'Dec1997'"),
    "4.1": PROFIT.format("d_year, c_nation", "c_region = 'AMERICA' AND s_region = 'AMERICA' AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')"),
    "4.2": PROFIT.format("d_year, s_nation, p_category", "c_region = 'AMERICA' AND s_region = 'AMERICA' AND (d_year = 1997 OR d_year = 1998) AND "
                         "(p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2')"),
    "4.3": PROFIT.format("d_year, s_city, p_brand1", "c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND (d_year = 1997 OR d_year = 1998) AND p_category = 'MFGR#14'"),
}  # fmt: skip
