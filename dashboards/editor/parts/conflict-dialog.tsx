import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '../../kit/controls.tsx'
import { compareLines } from '../../kit/line-differences.ts'
import { freePath } from '../project/file-tree.ts'
import type { Files, Choice, FileConflict, MergedFiles } from '../project/file-changes.ts'
import { resolveConflicts } from '../project/file-changes.ts'
import { Modal } from '../../kit/dialog.tsx'

export interface ConflictDialogProps {
  readonly merged: MergedFiles
  readonly onResolve: (files: Files) => void
  readonly onClose: () => void
}

const choices: readonly (readonly [Choice, string])[] = [
  ['mine', 'Keep mine'],
  ['theirs', 'Take theirs'],
  ['both', 'Keep both'],
]

export function ConflictDialog({ merged, onResolve, onClose }: ConflictDialogProps): ReactNode {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map())
  const finish = (): void =>
    onResolve(resolveConflicts(merged, chosen, (path, taken) => freePath(taken, theirPath(path))))
  return (
    <Modal title="Conflicting changes" isWide onClose={onClose}>
      <div className="stack modal-body conflicts">
        <p className="soft">
          These files were changed here and elsewhere. Choose a version of each; all other files are merged. “Keep both”
          adds the other version as a separate file, so that you can merge it by hand.
        </p>
        {merged.conflicts.map((conflict) => {
          const choice = chosen.get(conflict.path) ?? 'both'
          return (
            <section key={conflict.path} className="conflict" aria-label={conflict.path}>
              <fieldset className="conflict-head">
                <legend>
                  <code>{conflict.path}</code>
                </legend>
                {choices.map(([name, label]) => (
                  <label key={name} className="choice">
                    <input
                      type="radio"
                      name={`choice ${conflict.path}`}
                      checked={choice === name}
                      onChange={() => setChosen(new Map(chosen).set(conflict.path, name))}
                    />{' '}
                    {label}
                  </label>
                ))}
              </fieldset>
              <Sides conflict={conflict} />
            </section>
          )
        })}
        <div className="button-row end">
          <Button onClick={onClose}>Decide later</Button>
          <Button look="strong" onClick={finish}>
            Save
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function theirPath(path: string): string {
  return path.replace(/(\.[^./]*)?$/, '-theirs$1')
}

function Sides({ conflict: { path, mine, theirs } }: { readonly conflict: FileConflict }): ReactNode {
  const lines = useMemo(() => compareLines(mine ?? '', theirs ?? ''), [mine, theirs])
  const shown = (kind: 'old' | 'new', text: string): ReactNode =>
    lines === undefined
      ? text
      : lines
          .filter((line) => line.kind === 'same' || line.kind === kind)
          .map((line, at) => (
            <span key={at} className={line.kind === 'same' ? 'line' : 'line changed-line'}>
              {line.text}
              {'\n'}
            </span>
          ))
  const side = (kind: 'old' | 'new', title: string, text: string | undefined): ReactNode => (
    <div className="side">
      <h3>{title}</h3>
      {text === undefined ? (
        <p className="soft">The file was deleted.</p>
      ) : (
        <pre tabIndex={0} role="group" aria-label={`${title}: ${path}`}>
          {shown(kind, text)}
        </pre>
      )}
    </div>
  )
  return (
    <>
      {lines === undefined && <p className="soft">The versions differ in too many lines to mark the changes.</p>}
      <div className="sides">
        {side('old', 'Mine', mine)}
        {side('new', 'Theirs', theirs)}
      </div>
    </>
  )
}
