/** Equivalent rewrites of a statement, chosen reproducibly at random. */

type Mutation = (sql: string, random: () => number) => string

/** Words outside of quotes; quoted text is unchanged. */
function mapWords(sql: string, map: (word: string) => string): string {
  return sql.replace(/'(?:[^'])*'|"(?:[^"])*"|\$\$.*?\$\$|[a-z_][a-z_0-9]*/gis, (part) =>
    /^[a-z_]/i.test(part) ? map(part) : part,
  )
}

const comments: Mutation = (sql, random) =>
  sql.replace(/ /g, () => (random() < 0.4 ? '/* a /* nested */ comment */' : ' '))
const lines: Mutation = (sql, random) =>
  sql.replace(/ /g, () => (random() < 0.5 ? '\n\t' : random() < 0.3 ? ' -- to the end of the line\n' : ' '))
const letterCase: Mutation = (sql, random) =>
  mapWords(sql, (word) => word.replace(/[a-z]/g, (letter) => (random() < 0.5 ? letter.toUpperCase() : letter)))
const leading: Mutation = (sql, random) =>
  `${random() < 0.5 ? '/*+ hint */' : '-- first\n'} ${sql}${random() < 0.5 ? ' ;' : ''}`
/** Names that are not grammar keywords in these statements. */
const quoted: Mutation = (sql) =>
  sql.replace(
    /\b(pg_\w+|lo_\w+|set_config|query_to_xml|developer_keys|webhook_\w+|worker_leases|txid_current|nextval|setval|dblink)\b(?=[( .,]|$)/gi,
    (name) => `"${name.toLowerCase()}"`,
  )
const escaped: Mutation = (sql) =>
  sql.replace(
    /\b(pg_\w+|lo_\w+|set_config|query_to_xml|developer_keys|webhook_\w+|worker_leases)\b(?=[( .,]|$)/gi,
    (name) => `U&"${name.toLowerCase().replace(/_/g, '\\005f')}"`,
  )
const nested: Mutation = (sql) => (/^(select|with)/i.test(sql) ? `select * from (${sql}) as nested` : sql)
const unioned: Mutation = (sql) => (/^select/i.test(sql) ? `(select null where false) union all (${sql})` : sql)

const mutations: readonly Mutation[] = [comments, lines, letterCase, leading, quoted, escaped, nested, unioned]

/** @param seed equal seeds give equal statements */
export function mutated(statements: readonly string[], count: number, seed: number): string[] {
  const random = randomOf(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  return Array.from({ length: count }, () => {
    const times = 1 + Math.floor(random() * 3)
    let sql = pick(statements)
    for (let time = 0; time < times; time += 1) sql = pick(mutations)(sql, random)
    return sql
  })
}

/** Mulberry32: small, and good enough to choose by. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
