/** Everything else is refused: some functions run for minutes in code that ignores cancellation. */

export type CallKind =
  /** Linear time; short result. */
  | 'number'
  | 'short'
  /** Reads the rest of the text for each field of the format. */
  | 'read-date'
  /** Linear time; result at most as long as all arguments together. */
  | 'linear'
  /** Linear time; result up to eight times as long: escapes, JSON. */
  | 'growing'
  /** Does not read the values. */
  | 'free'
  | 'heavy'
  | 'elements'
  /** Sorts the elements of its arguments. */
  | 'sorted'
  | 'parsing'
  | 'formatting'
  | 'search'
  | 'replace'
  | 'like'
  | 'join'
  | 'join-others'
  /** Result as long as the square of its argument: indentation; document paths. */
  | 'pretty'
  | 'path'
  | 'paths'
  /** Compares each character or element of the first argument with those of the second. */
  | 'match'
  | 'match-elements'
  | 'regexp'
  | 'regexp-replace'
  | 'repeat'
  | 'pad'
  | 'fill'
  | 'cut'
  | 'slice'
  | 'format'
  /** Numeric, whose values may have 147,455 digits. */
  | 'arithmetic'
  | 'power'
  | 'transcendental'
  | 'collect'
  | 'collect-json'

function kindsOf(names: Readonly<Partial<Record<CallKind, string>>>): ReadonlyMap<string, CallKind> {
  return new Map(
    Object.entries(names).flatMap(([kind, list]) => wordsOf(list).map((name) => [name, kind as CallKind] as const)),
  )
}

function wordsOf(list: string): string[] {
  return list.split(/\s+/)
}

export const functionKinds: ReadonlyMap<string, CallKind> = kindsOf({
  free: `array_length array_lower array_ndims array_upper cardinality pg_typeof num_nulls num_nonnulls grouping
    row_number rank dense_rank percent_rank cume_dist ntile count lower_inc upper_inc lower_inf upper_inf isempty
    generate_subscripts random random_normal gen_random_uuid uuidv4 uuidv7 clock_timestamp now statement_timestamp
    transaction_timestamp current_database current_schema current_schemas current_user session_user user version
    timeofday array_dims pg_column_size jsonb_typeof jsonb_array_length uuid_extract_timestamp
    uuid_extract_version`,
  number: `ascii bit_length char_length character_length length octet_length bit_count date_part extract date_diff
    isfinite get_byte get_bit hashtext bool_and bool_or every bit_and bit_or bit_xor corr covar_pop covar_samp
    regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy int2 int4 int8
    float4 float8 degrees radians acos asin atan atan2 cos cot sin tan acosd asind atand atan2d cosd cotd sind
    tand sinh cosh tanh asinh acosh atanh cbrt pi sign width_bucket min_scale scale generate_series
    hashtextextended starts_with date_mi like_support jsonb_exists to_number to_hex to_oct to_bin bool crc32
    crc32c array_position pg_size_bytes erf erfc gamma lgamma`,
  short: `age chr date_add date_bin date_subtract date_trunc justify_days justify_hours justify_interval make_date
    make_interval make_time make_timestamp make_timestamptz timezone pg_size_pretty date
    timestamp timestamptz time timetz interval overlaps`,
  'read-date': 'to_timestamp to_date',
  linear: `any_value avg coalesce concat_op first_value last_value lag lead nth_value max min mode sum
    percentile_cont percentile_disc stddev stddev_pop stddev_samp variance var_pop var_samp array_append array_cat
    array_prepend array_reverse array_sample array_shuffle concat md5 sha224 sha256 sha384 sha512 trim_array
    unnest range_intersect_agg range_merge int4range int8range numrange tsrange tstzrange daterange
    jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys jsonb_extract_path
    jsonb_extract_path_text jsonb_set jsonb_set_lax jsonb_insert jsonb_strip_nulls jsonb_populate_record
    jsonb_populate_recordset jsonb_to_record jsonb_to_recordset set_byte text name varchar bpchar char bytea
    overlay substr_op int8send`,
  heavy: 'initcap casefold lower upper reverse encode decode convert convert_from convert_to',
  sorted: 'int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange multirange',
  elements: 'array_sort array_positions array_remove array_replace',
  growing: `quote_ident quote_literal quote_nullable row_to_json to_json to_jsonb array_to_json json_build_array
    json_build_object jsonb_build_array jsonb_build_object json_object jsonb_object`,
  join: 'array_to_string',
  'join-others': 'concat_ws',
  pretty: 'jsonb_pretty',
  path: `jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query
    jsonb_path_query_tz jsonb_path_query_first jsonb_path_query_first_tz`,
  paths: 'jsonb_path_query_array jsonb_path_query_array_tz',
  parsing: `json_array_elements json_array_elements_text json_array_length json_each json_each_text
    json_extract_path json_extract_path_text json_object_keys json_populate_record json_populate_recordset
    json_strip_nulls json_to_record json_to_recordset json_typeof json jsonb unistr`,
  formatting: 'to_char',
  search: 'strpos position split_part string_to_array string_to_table',
  like: 'like ilike notlike',
  replace: 'replace',
  match: 'translate btrim ltrim rtrim',
  'match-elements': 'arraycontains arraycontained arrayoverlap',
  regexp: `regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_split_to_array
    regexp_split_to_table regexp_substr similar_escape similar_to_escape like_escape`,
  'regexp-replace': 'regexp_replace',
  repeat: 'repeat',
  pad: 'lpad rpad',
  fill: 'array_fill',
  cut: 'left right',
  slice: 'substr substring',
  format: 'format',
  arithmetic: `abs ceil ceiling floor round trunc div mod gcd lcm factorial trim_scale numeric numeric_mul
    numeric_div`,
  power: 'power pow',
  transcendental: 'exp ln log log10 sqrt',
  collect: `array_agg string_agg json_agg json_agg_strict json_object_agg json_object_agg_strict
    json_object_agg_unique json_object_agg_unique_strict`,
  'collect-json': `jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
    jsonb_object_agg_unique_strict`,
})

/** Arrays and domains are allowed if their elements are. */
export const allowedTypes: readonly string[] =
  wordsOf(`bool int2 int4 int8 float4 float8 numeric oid text varchar bpchar char name bytea uuid date time timetz
    timestamp timestamptz interval json jsonb jsonpath int4range int8range numrange tsrange tstzrange
    daterange int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange`)

export const allowedOperators: readonly string[] =
  wordsOf(`= <> < <= > >= + - * / % ^ |/ ||/ @ & | # ~ << >> || ^@ ~~ !~~ ~~* !~~* ~* !~ !~* -> ->> #> #>> @> <@ &&
    -|- ? ?| ?& #- @?`)

/** ICU collations are slower than byte order. */
export const allowedCollations: ReadonlySet<string> = new Set(['C', 'POSIX', 'default', 'ucs_basic'])

export const harmlessVolatile: readonly string[] = [
  'array_sample',
  'array_shuffle',
  'clock_timestamp',
  'gen_random_uuid',
  'random',
  'random_normal',
  'timeofday',
  'uuidv4',
  'uuidv7',
]
