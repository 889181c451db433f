import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { setToken } from './token.ts'

interface TokenDialogProps {
  /** Asks the service whether it takes the token. @throws what `refusal` puts into words, where it does not */
  readonly tryToken: (token: string) => Promise<unknown>
  readonly refusal: (error: unknown) => string
  /** After a token that is accepted, and kept. */
  readonly onToken: () => void
  readonly onClose: () => void
}

/** Asks for the token of the service, and keeps it when the service takes it. */
export function TokenDialog({ tryToken, refusal, onToken, onClose }: TokenDialogProps): ReactNode {
  const [text, setText] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const id = useId()
  const submit = async (): Promise<void> => {
    const token = text.trim()
    setIsBusy(true)
    try {
      await tryToken(token)
    } catch (refused) {
      setError(refusal(refused))
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
      title="This service wants a token"
      action="Use it"
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p className="soft">It is the value of API_TOKEN, and is kept in this tab only.</p>
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
