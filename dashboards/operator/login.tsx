import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { ApiProblem, api, problemText } from './api.ts'
import { Alone } from './notice.tsx'

/** Asks for the token that opens the page. */
export function Login({ onLogin }: { readonly onLogin: () => void }): ReactNode {
  const [token, setToken] = useState('')
  const logIn = useMutation({ mutationFn: () => api.logIn(token.trim()), onSuccess: onLogin })
  const error = logIn.error === null ? undefined : loginProblem(logIn.error)
  return (
    <Alone>
      <form
        className="login"
        onSubmit={(event) => {
          event.preventDefault()
          logIn.mutate()
        }}
      >
        <h1>Operator</h1>
        <p className="soft">Enter the admin token of this farm, or an admin JWT.</p>
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            className="input"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            spellCheck={false}
            value={token}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : 'token-error'}
            onChange={(event) => setToken(event.target.value)}
          />
          {error !== undefined && (
            <p id="token-error" className="field-error" role="alert">
              {error}
            </p>
          )}
        </div>
        <Button type="submit" look="strong" disabled={logIn.isPending}>
          {logIn.isPending ? 'Checking…' : 'Log in'}
        </Button>
      </form>
    </Alone>
  )
}

function loginProblem(error: Error): string {
  return error instanceof ApiProblem && error.status === 401
    ? 'This token is not accepted. It is the value of ADMIN_TOKEN.'
    : problemText(error)
}
