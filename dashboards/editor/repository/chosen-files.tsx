import type { ReactNode } from 'react'
import { Badge } from '../../kit/badge.tsx'
import type { Tone } from '../../kit/badge.tsx'
import type { Difference } from './compare-branch.ts'

export interface ChosenFilesProps {
  readonly title: string
  readonly files: readonly Difference[]
  readonly chosen: ReadonlySet<string>
  /** What becomes of a file, in a word or two. */
  readonly word: (file: Difference, isChosen: boolean) => readonly [text: string, tone: Tone]
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

/** Files that differ, each of which can be chosen. */
export function ChosenFiles({ title, files, chosen, word, onChoose }: ChosenFilesProps): ReactNode {
  const choose = (path: string, isChosen: boolean): void => {
    const next = new Set(chosen)
    if (isChosen) next.add(path)
    else next.delete(path)
    onChoose(next)
  }
  return (
    <fieldset className="changes">
      <legend>{title}</legend>
      {files.map((file) => {
        const isChosen = chosen.has(file.path)
        const [text, tone] = word(file, isChosen)
        return (
          <label key={file.path} className="change">
            <input
              type="checkbox"
              className="check"
              checked={isChosen}
              onChange={({ target }) => choose(file.path, target.checked)}
            />
            <code>{file.path}</code>
            <Badge tone={tone}>{text}</Badge>
          </label>
        )
      })}
    </fieldset>
  )
}
