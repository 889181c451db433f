/**
 * Which functions a statement may call. The server's own say of themselves whether they have effects (provolatile), and so have the
 * rule: all overloads must be without. Both lists below are the exceptions.
 */

/** Volatile, and yet without any effect: their answer is another one each time, no more. */
export const harmlessVolatile: readonly string[] = [
  'array_sample', 'array_shuffle', 'clock_timestamp', 'gen_random_uuid', 'random', 'random_normal', 'timeofday', 'uuidv4', 'uuidv7',
]

/** Of the functions whose names begin with pg_, most tell of the server; these tell of values. */
export const harmlessOfServer: readonly string[] = [
  'pg_column_size', 'pg_size_bytes', 'pg_size_pretty', 'pg_typeof',
]

/**
 * Not volatile, and yet not for strangers: they tell of settings, other sessions, roles, and tables that may not be read, run SQL that
 * is inside a text, or take a number. Patterns of POSIX regular expressions that fit whole names.
 */
export const refusedFunctions: readonly string[] = [
  // The server and its sessions, settings and files.
  'pg_.*', 'binary_upgrade_.*', 'current_setting', 'inet_(client|server)_(addr|port)', 'row_security_active', 'getpgusername',
  // Large objects, links to other servers, locks, transaction numbers.
  'lo_.*', 'loread', 'lowrite', 'dblink.*', 'postgres_fdw_.*', 'txid_.*', 'currtid.*', 'mxid_age',
  // SQL inside a text or named by one.
  '(cursor|database|query|schema|table)_to_xml.*', 'ts_stat', 'ts_rewrite', 'crosstab.*', 'connectby', 'xpath_table', 'xslt_process',
  // Names and privileges of what may not be read.
  'has_.*', 'to_reg.*', 'reg(class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type)(send)?',
  '(col|obj|shobj)_description', 'format_type', 'acl.*', 'makeaclitem', 'satisfies_hash_partition',
  // Checks of definitions, called by the server alone.
  'fmgr_.*', '.*_validator', '.*_fdw_.*',
]
