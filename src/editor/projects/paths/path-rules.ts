/** What a path of a project may be, as far as numbers and names go; the editor's page is told them too. */
export const pathRules = {
  /** Bytes in UTF-8. */
  mostBytes: 400,
  mostSegmentBytes: 200,
  /** Segments: `a/b/c.cdc` has three. */
  mostSegments: 10,
  /** Of what editors and language servers have beside the project and nobody saves: contracts that its code imports. */
  reservedFolders: ['deps', 'imports', '_'],
  /** No file system of Windows takes these, whatever follows after a dot; git does not take its own. */
  reservedNames: [
    'con',
    'prn',
    'aux',
    'nul',
    'conin$',
    'conout$',
    '.git',
    'git~1',
    ...['com', 'lpt'].flatMap((device) => Array.from({ length: 10 }, (_, i) => `${device}${i}`)),
  ],
  /** Characters that have a meaning of their own for some file system. */
  reservedCharacters: '\\:*?"<>|',
} as const

/** Bytes of the key of a path, which is longer than the path where one character stands for several. */
export const mostKeyBytes = 1200

/** Why a path is refused. */
export type PathRule =
  | 'empty'
  | 'too-long'
  | 'segment-too-long'
  | 'too-deep'
  | 'broken-text'
  | 'not-nfc'
  | 'hidden-character'
  | 'absolute'
  | 'empty-segment'
  | 'dot-segment'
  | 'backslash'
  | 'reserved-character'
  | 'blank-or-dot-at-end'
  | 'begins-with-mark'
  | 'look-alike'
  | 'reserved-name'
  | 'reserved-folder'
  | 'same-path'
  | 'other-spelling'
  | 'file-and-folder'

export interface PathProblem {
  readonly path: string
  readonly rule: PathRule
  /** What is wrong and what to do, to follow after the path. */
  readonly text: string
}
