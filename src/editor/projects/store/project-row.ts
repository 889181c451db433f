import type { EditorNetwork } from '../../editor-network.ts'

/** What lists and answers tell of a project. Times are written as ISO 8601 by JSON. */
export interface ProjectRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly network: EditorNetwork
  readonly is_public: boolean
  readonly active_file: string | null
  readonly open_files: string[]
  readonly folders: string[]
  readonly version: number
  readonly file_count: number
  readonly byte_count: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Of `projects.projects p`. A project has fewer bytes than numbers of JavaScript count exactly. */
export const projectColumns = `p.id, p.slug, p.name, p.network, p.is_public, p.active_file, p.open_files, p.folders, p.version, p.file_count,
  p.byte_count::float8 as byte_count, p.created_at, p.updated_at`

/** The project that `p` is a copy of, where viewer `$viewer` (null: a stranger) may see it. */
export function originJoin(viewer: string): string {
  return `left join projects.projects o on o.id = p.forked_from and (o.is_public or o.user_id = ${viewer})`
}

/** To go with `originJoin`. */
export const originColumn = `case when o.id is null then null else json_build_object('id', o.id, 'slug', o.slug, 'name', o.name) end as forked_from`

/** What a project is a copy of; null: of none that is there and may be seen. */
export interface Origin {
  readonly id: string
  readonly slug: string
  readonly name: string
}

/** What whoever has saved is told. */
export interface SavedProject {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly updated_at: Date
  readonly file_count: number
  readonly byte_count: number
}
