import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAction } from '../../auth/use-action.ts'
import { Button } from '../../kit/button.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import { ChosenFiles } from './chosen-files.tsx'
import type { Differences } from './compare-branch.ts'
import type { Connection, FileChange } from './contract.ts'

export interface CommitPanelProps {
  readonly connection: Connection
  /** Of the project. */
  readonly name: string
  readonly differences: Differences
  readonly onChanged: () => void
}

/** Commits what was chosen of the project, on top of what the branch was when it was looked at. Files that are in the repository alone stay, unless somebody says otherwise. */
export function CommitPanel({
  connection,
  name,
  differences: { branch, files, all },
  onChanged,
}: CommitPanelProps): ReactNode {
  const { repositories } = useAccount()
  const say = useToast()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(all.filter(({ is }) => is !== 'there').map(({ path }) => path)),
  )
  const [message, setMessage] = useState(`Update ${name}`)
  const { isBusy, problem, run } = useAction()
  if (all.length === 0) return <p className="soft">Nothing differs: the branch has all that the project has.</p>
  const commit = (): void =>
    void run(async () => {
      const changes = all
        .filter(({ path }) => chosen.has(path))
        .map(({ path, is }): FileChange =>
          is === 'there' ? { path, action: 'delete' } : { path, content: files.get(path) ?? '', action: 'put' },
        )
      const { sha } = await repositories.commit(connection.project_id, {
        message: message.trim(),
        files: changes,
        head: branch.head,
      })
      say(`Committed to ${connection.branch} as ${sha.slice(0, 7)}.`)
      onChanged()
    })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        commit()
      }}
    >
      {branch.head === null && (
        <p className="soft">There is no branch {connection.branch} yet: this commit makes it.</p>
      )}
      <ChosenFiles
        title="What goes into the commit"
        files={all}
        chosen={chosen}
        onChoose={setChosen}
        word={({ is }, isChosen) =>
          is === 'here'
            ? ['new', 'good']
            : is === 'both'
              ? ['changed', 'busy']
              : isChosen
                ? ['is deleted there', 'bad']
                : ['stays there', 'neutral']
        }
      />
      <label className="field">
        <span>Message</span>
        <input
          className="input"
          value={message}
          maxLength={5000}
          required
          onChange={({ target }) => setMessage(target.value)}
        />
      </label>
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || chosen.size === 0 || message.trim() === ''}>
          Commit to {connection.branch}
        </Button>
      </div>
    </form>
  )
}
