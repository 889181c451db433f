import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { setToken } from './token.ts'

interface TokenDialogProps {
  readonly verifyToken: (token: string) => Promise<unknown>
  readonly describeError: (error: unknown) => string
  readonly onToken: () => void
  readonly onClose: () => void
}

export function TokenDialog({ verifyToken, describeError, onToken, onClose }: TokenDialogProps): ReactNode {
  const [text, setText] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const id = useId()
  const submit = async (): Promise<void> => {
    const token = text.trim()
    setIsBusy(true)
    try {
      await verifyToken(token)
    } catch (problem) {
      setError(describeError(problem))
      return
    } finally {
      setIsBusy(false)
    }
    setToken(token)
    onClose()
    onToken()
  }
  return (
    <Dialog
      title="API token required"
      action="Save token"
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p className="soft">Enter the value of API_TOKEN. It is stored in this tab only.</p>
      <div className="field">
        <label htmlFor={id}>Token</label>
        <input
          id={id}
          className="input"
          type="password"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          required
          value={text}
          aria-invalid={error !== undefined}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    </Dialog>
  )
}
