import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, useAction } from '../../auth/action.tsx'
import { Button, Form, Icon } from '../../kit/controls.tsx'
import { navigate } from '../../kit/router.tsx'
import { useToast } from '../../kit/toast.tsx'
import { acceptDevice, cancelDevice, joinAsDevice, readDeviceStatus, startDevice } from '../chain/passkeys.ts'
import { useRefresh } from '../own-data.ts'
import { CenteredCard } from './layout.tsx'
import { QrCode } from './receive-page.tsx'

export const addDevicePath = '/add-device'

const grouped = (digits: string, size: number): string => digits.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? ''

/** On the first device. The code is in the fragment, which browsers send to no server. */
export function AddFromDevice({ onClose }: { readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const showToast = useToast()
  const [code, setCode] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const { data: status } = useQuery({
    queryKey: ['device', code],
    queryFn: () => readDeviceStatus(auth),
    enabled: code !== undefined,
    refetchInterval: 2000,
  })
  const begin = (): void => void run(async () => setCode((await startDevice(auth)).code))
  const accept = async (credentialId: string): Promise<void> => {
    const isDone = await run(async () => {
      await acceptDevice(auth, credentialId)
      await reload()
    })
    if (!isDone) return
    showToast('Passkey added. Add its key to your accounts below.')
    onClose()
  }
  const cancel = (): void => {
    cancelDevice(auth).catch(() => undefined)
    onClose()
  }
  const url = `${location.origin}${addDevicePath}#${code ?? ''}`
  return (
    <section className="panel receive" aria-label="Add a passkey of another device">
      <h2>Add a passkey of another device</h2>
      {code === undefined && (
        <p className="soft">
          You get a code for ten minutes. The other device creates a passkey with it, and you accept it here.
        </p>
      )}
      {code !== undefined && status?.state === 'none' && <p role="status">The code has expired. Get a new one.</p>}
      {code !== undefined && (status === undefined || status.state === 'waiting') && (
        <>
          <p>
            Scan the code with the other device, or open
            <b className="wrap"> {`${location.origin}${addDevicePath}`} </b>
            there and enter:
          </p>
          <p className="sum">
            <b aria-label="Code">{grouped(code, 4)}</b>
          </p>
          <QrCode text={url} label="QR code that opens this wallet on the other device" />
          <p className="soft small" role="status">
            <span className="spinner" aria-hidden="true" /> Waiting for the other device…
          </p>
        </>
      )}
      {status?.state === 'joined' && (
        <>
          <p>
            <b className="wrap">{status.name}</b> from {status.from} proposes a passkey. Accept it only if the other
            device shows the same digits:
          </p>
          <p className="sum">
            <b aria-label="Digits">{grouped(status.check, 3)}</b>
          </p>
        </>
      )}
      <ProblemLine problem={problem} />
      <div className="button-row">
        {(code === undefined || status?.state === 'none') && (
          <Button look="strong" disabled={isBusy} onClick={begin}>
            Get a code
          </Button>
        )}
        {status?.state === 'joined' && (
          <Button look="strong" disabled={isBusy} onClick={() => void accept(status.credentialId)}>
            <Icon name="key" /> The digits match: accept
          </Button>
        )}
        <Button onClick={cancel}>{status?.state === 'joined' ? 'Reject' : 'Cancel'}</Button>
      </div>
    </section>
  )
}

/** On the other device, which needs no session. */
export function AddDevicePage(): ReactNode {
  const auth = useAuth()
  const [code, setCode] = useState(() => decodeURIComponent(location.hash.slice(1)).slice(0, 20))
  const [check, setCheck] = useState<string>()
  const { isBusy, problem, run } = useAction()
  useEffect(() => {
    document.title = 'Add this device – flowfarm wallet'
    history.replaceState(null, '', location.pathname)
  }, [])
  const join = (): void => void run(async () => setCheck(await joinAsDevice(auth, code)))
  return (
    <CenteredCard>
      <h1>Add this device</h1>
      {check === undefined ? (
        <Form className="stack" onSubmit={join}>
          <p className="soft">
            Enter the code that the wallet shows on your first device, under “Passkeys”. This device then creates a
            passkey.
          </p>
          <label className="field">
            <span>Code</span>
            <input
              className="input mono"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={20}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </label>
          <ProblemLine problem={problem} />
          <Button type="submit" look="strong" disabled={isBusy || code.trim() === ''}>
            <Icon name="key" /> {isBusy ? 'Waiting for your passkey…' : 'Create a passkey'}
          </Button>
        </Form>
      ) : (
        <div className="stack">
          <p>Accept the passkey on your first device if it shows the same digits:</p>
          <p className="sum">
            <b aria-label="Digits">{grouped(check, 3)}</b>
          </p>
          <p className="soft">Then sign in here with the passkey.</p>
          <Button look="strong" onClick={() => navigate('/', { isReplacing: true })}>
            Sign in
          </Button>
        </div>
      )}
    </CenteredCard>
  )
}
