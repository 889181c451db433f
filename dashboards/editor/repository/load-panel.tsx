import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText } from '../../auth/auth-service.ts'
import { useAction } from '../../auth/action.tsx'
import { Badge, Button, Form } from '../../kit/controls.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import { withFile } from '../project/file-tree.ts'
import type { ProjectStore } from '../project/project-state.ts'
import type { Differences, Difference } from './branch.ts'
import type { Connection } from '../answers.gen.ts'
import type { Tone } from '../../kit/controls.tsx'

interface LoadPanelProps {
  readonly connection: Connection
  readonly store: ProjectStore
  readonly differences: Differences
  readonly onChanged: () => void
}

const concurrency = 4

/** Local changes are replaced only after confirmation. */
export function LoadPanel({
  connection,
  store,
  differences: {
    branch: { head, left },
    all,
  },
  onChanged,
}: LoadPanelProps): ReactNode {
  const { repositories } = useAccount()
  const showToast = useToast()
  const others = all.filter(({ is }) => is !== 'here')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(others.filter(({ is }) => is === 'there').map(({ path }) => path)),
  )
  const [failed, setFailed] = useState<readonly string[]>([])
  const { isBusy, run } = useAction()
  const load = (): void =>
    void run(async () => {
      const pending = others.filter(({ path }) => chosen.has(path)).map(({ path }) => path)
      const loaded = new Map<string, string>()
      const problems: string[] = []
      while (pending.length > 0) {
        await Promise.all(
          pending.splice(0, concurrency).map(async (path) => {
            const at = connection.path === '' ? path : `${connection.path}/${path}`
            await repositories.file(connection, at, head ?? connection.branch).then(
              (content) => loaded.set(path, content),
              (error: unknown) => problems.push(`${path}: ${problemText(error)}`),
            )
          }),
        )
      }
      if (loaded.size > 0) {
        store.change((state) => [...loaded].reduce((next, [path, content]) => withFile(next, path, content), state))
        showToast(`${loaded.size === 1 ? '1 file' : `${loaded.size} files`} loaded.`)
      }
      setFailed(problems.sort())
      if (problems.length === 0) onChanged()
    })
  return (
    <Form className="stack" onSubmit={load}>
      {others.length === 0 ? (
        <p className="soft">The project is up to date with the branch.</p>
      ) : (
        <>
          <ChosenFiles
            title="Files to load"
            files={others}
            chosen={chosen}
            onChoose={setChosen}
            word={({ is }, isChosen) =>
              is === 'there'
                ? ['new', 'good']
                : isChosen
                  ? ['replaces yours', 'warn']
                  : ['differs, keep yours', 'neutral']
            }
          />
          {failed.length > 0 && (
            <div className="field-error" role="alert">
              <p>Could not load:</p>
              <ul>
                {failed.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          )}
          <div className="button-row">
            <Button type="submit" look="strong" disabled={isBusy || chosen.size === 0}>
              Load files
            </Button>
          </div>
        </>
      )}
      {left.length > 0 && (
        <details className="soft small">
          <summary>
            {left.length === 1 ? '1 entry' : `${left.length} entries`} of the repository cannot be loaded
          </summary>
          <ul>
            {left.map(({ path, why }) => (
              <li key={path}>
                <code>{path}</code>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Form>
  )
}

interface ChosenFilesProps {
  readonly title: string
  readonly files: readonly Difference[]
  readonly chosen: ReadonlySet<string>
  readonly word: (file: Difference, isChosen: boolean) => readonly [text: string, tone: Tone]
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

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
