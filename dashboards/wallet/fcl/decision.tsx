import { useEffect, useState, useCallback, useRef } from 'react'
import type { ReactNode } from 'react'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { Button, Icon } from '../../kit/controls.tsx'
import { ErrorState } from '../../kit/state.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import type { OpenerChannel } from './opener-channel.ts'
import { bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { Signer } from '../../../clients/signing/encode-transaction.ts'
import type { Passkey } from '../../../clients/signing/passkey.ts'
import { problemText } from '../../auth/auth-service.ts'
import { rememberedPasskey } from '../../auth/sign-in.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import { signersFor } from '../chain/passkey-keys.ts'
import { useChainAccount, useSettings } from '../own-data.ts'

interface DecisionProps {
  readonly action: string | undefined
  readonly onAgree?: () => void
  readonly onDecline: () => void
  readonly isBusy?: boolean
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly usesPasskey?: boolean
  readonly problem?: string | undefined
}

export function Decision({
  action,
  onAgree,
  onDecline,
  isBusy = false,
  isDangerous = false,
  isDisabled = false,
  usesPasskey = true,
  problem,
}: DecisionProps): ReactNode {
  const isArmed = useArmed()
  return (
    <footer className="fcl-decision">
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button onClick={onDecline}>Decline</Button>
        {action !== undefined && (
          <Button
            look={isDangerous ? 'danger' : 'strong'}
            disabled={!isArmed || isBusy || isDisabled}
            data-arming={isArmed ? undefined : ''}
            onClick={onAgree}
          >
            {usesPasskey && <Icon name="key" />}{' '}
            {isBusy ? 'Waiting for your passkey…' : problem === undefined ? action : 'Retry'}
          </Button>
        )}
      </div>
    </footer>
  )
}

const armMs = 1000

/**
 * Whether the window has been in front, with the focus, for a second: a click meant for another
 * window must not approve anything.
 */
function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = (): void => {
      clearTimeout(timer)
      setIsArmed(false)
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = setTimeout(() => setIsArmed(true), armMs)
    }
    look()
    window.addEventListener('focus', look)
    window.addEventListener('blur', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', look)
      window.removeEventListener('blur', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isArmed
}

interface RefusalProps {
  readonly title: string
  readonly detail: string
  readonly channel: OpenerChannel
  readonly onRetry?: (() => void) | undefined
  readonly mayChange?: boolean
}

export function Refusal({ title, detail, channel, onRetry, mayChange = false }: RefusalProps): ReactNode {
  const { sessionManager } = useAuth()
  const { isBusy, problem, run } = useAction()
  return (
    <>
      <h1>{title}</h1>
      <ErrorState title="Nothing was signed" detail={detail} {...(onRetry === undefined ? {} : { onRetry })} />
      <footer className="fcl-decision">
        <ProblemLine problem={problem} />
        <div className="button-row">
          {mayChange && (
            <Button disabled={isBusy} onClick={() => void run(() => sessionManager.signOut())}>
              Sign in as another user
            </Button>
          )}
          <Button look="strong" onClick={() => channel.decline(`${title}. ${detail}`)}>
            Back to the app
          </Button>
        </div>
      </footer>
    </>
  )
}

type FoundSigner =
  | { readonly status: 'loading' }
  | { readonly status: 'problem'; readonly detail: string; readonly retry?: () => void }
  | { readonly status: 'ready'; readonly signer: Signer & Passkey }

export function useSigner(account: OwnAccount | undefined, keyIndex?: number): FoundSigner {
  const { rp_id: rpId } = useSettings()
  const { data, error, refetch } = useChainAccount(account?.network ?? 'testnet', account?.address)
  if (account === undefined || (data === undefined && error === null)) return { status: 'loading' }
  if (data === undefined) return { status: 'problem', detail: problemText(error), retry: () => void refetch() }
  const { address } = account
  const [found] = signersFor(account, data, rememberedPasskey()).filter(
    ({ key }) => keyIndex === undefined || key.index === keyIndex,
  )
  if (found === undefined) {
    const detail =
      keyIndex === undefined
        ? `None of your passkeys can sign for ${address} alone.`
        : `The app requires key ${keyIndex} of ${address}, and none of your passkeys is that key. ` +
          'Sign out in the app and connect this wallet again.'
    return { status: 'problem', detail }
  }
  const { key, credentialId, publicKeySec1Hex } = found
  return {
    status: 'ready',
    signer: {
      address,
      keyIndex: key.index,
      rpId,
      credentialId: bytesOfBase64Url(credentialId, 'credentialId'),
      publicKey: bytesOfHex(publicKeySec1Hex, 'publicKey'),
    },
  }
}

/** The signal aborts on unmount, such as a change of user. */
export function useUnmountSignal(): () => AbortSignal {
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(new DOMException('The window was closed or changed.', 'AbortError')), [])
  return useCallback(() => {
    running.current = new AbortController()
    return running.current.signal
  }, [])
}
