/** A file, or a folder with what is in it. */
export type TreeNode =
  | { readonly kind: 'file'; readonly path: string; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string; readonly name: string; readonly children: readonly TreeNode[] }

interface Building {
  readonly folders: Map<string, Building>
  readonly files: string[]
}

/** Puts paths into folders: folders first, each by name. Folders may be empty. */
export function fileTree(paths: Iterable<string>, folders: Iterable<string>): readonly TreeNode[] {
  const root: Building = { folders: new Map(), files: [] }
  const at = (segments: readonly string[]): Building => {
    let place = root
    for (const segment of segments) {
      const next: Building = place.folders.get(segment) ?? { folders: new Map(), files: [] }
      place.folders.set(segment, next)
      place = next
    }
    return place
  }
  for (const folder of folders) at(folder.split('/'))
  for (const path of paths) {
    const segments = path.split('/')
    at(segments.slice(0, -1)).files.push(segments.at(-1) ?? path)
  }
  return nodesOf(root, '')
}

function nodesOf({ folders, files }: Building, below: string): readonly TreeNode[] {
  const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
    one.name.localeCompare(other.name, 'en', { numeric: true })
  return [
    ...[...folders]
      .map(([name, inner]) => ({
        kind: 'folder' as const,
        path: below + name,
        name,
        children: nodesOf(inner, `${below}${name}/`),
      }))
      .sort(byName),
    ...files.map((name) => ({ kind: 'file' as const, path: below + name, name })).sort(byName),
  ]
}

/** Whether a path is the folder itself, or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** The path after a file or folder was renamed. */
export function movedPath(path: string, from: string, to: string): string {
  return isWithin(path, from) ? to + path.slice(from.length) : path
}

/** The folder of a path; empty for one at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
