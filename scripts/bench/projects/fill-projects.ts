import { createHash } from 'node:crypto'
import type pg from 'pg'

/** Text like that of contracts: as long as asked for, another one for each number, as compressible as code is. */
export function codeText(number: number, bytes: number): string {
  const lines: string[] = []
  for (let length = 0, i = 0; length < bytes; i++) {
    const id = createHash('md5').update(`${number} ${i}`).digest('hex')
    const line = `    access(all) fun transfer${id.slice(0, 6)}(amount: UFix64, to: Address) { self.balances[to] = 0x${id.slice(6, 22)} }`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n').slice(0, bytes)
}

export interface Filled {
  readonly projects: number
  readonly files: number
  readonly fileBytes: number
}

/** Projects of one user each ten, with files that are different everywhere. Straight into the tables. */
export async function fillProjects(
  pool: pg.Pool,
  userIds: readonly string[],
  { projects, files, fileBytes }: Filled,
): Promise<void> {
  await pool.query(
    `insert into projects.projects (user_id, slug, name, network, is_public, open_files, folders, version, file_count, byte_count)
     select ($1::uuid[])[1 + n % cardinality($1::uuid[])], 'filled-' || n, 'Filled ' || n, 'mainnet', true, '{}', '{}', 1, $3, $3::int * $4::int
     from generate_series(0, $2 - 1) n`,
    [userIds, projects, files, fileBytes],
  )
  for (let number = 0; number < projects; number++) {
    const all = Array.from({ length: files }, (_, i) => ({
      path: pathOf(i),
      content: codeText(number * files + i, fileBytes),
    }))
    await pool.query(
      `insert into projects.files (project_id, path_key, path, content, hash, byte_count, version)
       select p.id, path, path, content, sha256(convert_to(content, 'utf8')), octet_length(content), 1
       from projects.projects p, unnest($2::text[], $3::text[]) f (path, content) where p.slug = 'filled-' || $1`,
      [number, all.map(({ path }) => path), all.map(({ content }) => content)],
    )
  }
  await pool.query('vacuum analyze projects.projects, projects.files')
}

/** Lower case, so that it is its own key. */
export function pathOf(i: number): string {
  return `contracts/part${i % 5}/file${String(i).padStart(3, '0')}.cdc`
}
