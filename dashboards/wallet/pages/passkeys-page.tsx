import { Fragment, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { Ago } from '../../kit/time.tsx'
import { Badge, Button, Icon } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import type { OwnAccount } from '../chain/chain-client.ts'
import { keyOfPasskey, signersOf, passkeyName } from '../chain/passkey-keys.ts'
import type { PasskeyRow } from '../types.ts'
import { useChainAccounts, useOwnAccounts, usePasskeys, useRefresh } from '../own-data.ts'
import { AddFromDevice } from './add-device.tsx'
import { AccountKeys } from './account-keys.tsx'
import { FirstPasskey, PageTitle } from './layout.tsx'
import { ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { makePasskey, removePasskey, renamePasskey, signalAccepted } from '../chain/passkeys.ts'

export function PasskeysPage(): ReactNode {
  const auth = useAuth()
  const { data, error, refetch } = usePasskeys()
  const reload = useRefresh()
  const showToast = useToast()
  const { isBusy, problem, run } = useAction()
  const { data: own = [] } = useOwnAccounts()
  const [isAdding, setIsAdding] = useState(false)
  const count = data?.length
  // After each change of the list; the signal is only a hint to password managers.
  useEffect(() => {
    if (count !== undefined && count > 0) signalAccepted(auth).catch(() => undefined)
  }, [auth, count])
  const add = (): void =>
    void run(async () => {
      await makePasskey(auth)
      await reload()
      showToast('Passkey created.')
    })
  if (data?.length === 0) {
    return (
      <>
        <PageTitle title="Passkeys" />
        <FirstPasskey />
      </>
    )
  }
  return (
    <>
      <PageTitle title="Passkeys">
        <span className="button-row">
          <Button disabled={isBusy} onClick={add}>
            <Icon name="plus" /> Add a passkey
          </Button>
          <Button disabled={isAdding} onClick={() => setIsAdding(true)}>
            From another device
          </Button>
        </span>
      </PageTitle>
      {isAdding && <AddFromDevice onClose={() => setIsAdding(false)} />}
      <ProblemLine problem={problem} />
      <section className="panel" aria-label="Your passkeys">
        {data === undefined && <QueryState what="your passkeys" error={error} refetch={refetch} />}
        <ul className="rows">
          {data?.map((passkey) => (
            <PasskeyLine key={passkey.id} passkey={passkey} passkeys={data} accounts={own} />
          ))}
        </ul>
        {data?.length === 1 && (
          <p className="panel-text soft">
            Add a second passkey on another device. If you lose your only passkey, you lose access to your accounts.
          </p>
        )}
      </section>
      {own.map((account) => (
        <AccountKeys key={`${account.network}${account.address}`} account={account} passkeys={data ?? []} />
      ))}
    </>
  )
}

interface PasskeyLineProps {
  readonly passkey: PasskeyRow
  readonly passkeys: readonly PasskeyRow[]
  readonly accounts: readonly OwnAccount[]
}

function PasskeyLine({ passkey, passkeys, accounts }: PasskeyLineProps): ReactNode {
  const isLast = passkeys.length === 1
  const states = useChainAccounts(accounts)
  const keyOf = accounts.filter((_, at) => {
    const state = states[at]
    return state !== undefined && keyOfPasskey(state, passkey.publicKeySec1Hex) !== undefined
  })
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const name = passkeyName(passkey)
  return (
    <li>
      <span className="row-main">
        <span className="row-name">
          {name}{' '}
          {passkey.backedUp && (
            <Badge tone="good" title="The browser or the operating system keeps a copy">
              Backed up
            </Badge>
          )}
        </span>
        <span className="soft small">
          Made <Ago at={passkey.createdAt} />
          {passkey.lastUsedAt === null ? (
            ', never used to sign in'
          ) : (
            <>
              , used <Ago at={passkey.lastUsedAt} />
            </>
          )}
        </span>
        {keyOf.length > 0 && (
          <span className="soft small">
            Signs for{' '}
            {keyOf.map(({ network, address }, at) => (
              <Fragment key={`${network}${address}`}>
                {at > 0 && ', '}
                <code>{address}</code>
              </Fragment>
            ))}
          </span>
        )}
        {keyOf.length === 0 && states.every((state) => state !== undefined) && (
          <span className="soft small">Not a key of any account</span>
        )}
      </span>
      <span className="row-actions">
        <Button look="plain" isIcon aria-label={`Rename ${name}`} onClick={() => setOpen('rename')}>
          <Icon name="pencil" />
        </Button>
        <Button
          look="plain"
          isIcon
          aria-label={`Remove ${name}`}
          disabled={isLast}
          title={isLast ? 'You cannot remove your last passkey: it is the only access to your accounts' : undefined}
          onClick={() => setOpen('remove')}
        >
          <Icon name="trash" />
        </Button>
      </span>
      {open === 'rename' && <RenameDialog passkey={passkey} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && (
        <RemoveDialog passkey={passkey} passkeys={passkeys} accounts={accounts} onClose={() => setOpen(undefined)} />
      )}
    </li>
  )
}

function RenameDialog({ passkey, onClose }: { readonly passkey: PasskeyRow; readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const [name, setName] = useState(passkeyName(passkey))
  const { isBusy, problem, run } = useAction()
  const rename = async (): Promise<void> => {
    const isDone = await run(async () => {
      await renamePasskey(auth, passkey.id, name.trim())
      await reload()
    })
    if (isDone) onClose()
  }
  return (
    <Dialog
      title="Rename passkey"
      action="Rename"
      isBusy={isBusy || name.trim() === ''}
      error={problem}
      onSubmit={() => void rename()}
      onClose={onClose}
    >
      <label className="field">
        <span>Name</span>
        <input
          className="input"
          value={name}
          maxLength={100}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
      </label>
    </Dialog>
  )
}

function RemoveDialog({
  passkey,
  passkeys,
  accounts,
  onClose,
}: PasskeyLineProps & { readonly onClose: () => void }): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const states = useChainAccounts(accounts)
  const left = passkeys.filter(({ id }) => id !== passkey.id)
  const concerned = accounts
    .map((account, at) => ({ account, state: states[at] }))
    .filter(
      ({ account, state }) =>
        account.credentialId === passkey.id ||
        (state !== undefined && keyOfPasskey(state, passkey.publicKeySec1Hex) !== undefined),
    )
    .map(({ account, state }) => ({ account, signers: state === undefined ? [] : signersOf(state, left).passkeys }))
  const affected = concerned.filter(({ signers }) => signers.length > 0)
  const lost = concerned.filter(({ signers }) => signers.length === 0)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const isSure = lost.every(({ account: { address } }) => typed[address]?.trim().toLowerCase() === address)
  const { isBusy, problem, run } = useAction()
  const remove = async (): Promise<void> => {
    const isDone = await run(async () => {
      await removePasskey(
        auth,
        passkey.id,
        lost.map(({ account: { address } }) => address),
      )
      await reload()
    })
    if (isDone) onClose()
  }
  return (
    <Dialog
      title={`Remove ${passkeyName(passkey)}?`}
      action="Remove"
      isDangerous
      isBusy={isBusy || !isSure}
      error={problem}
      onSubmit={() => void remove()}
      onClose={onClose}
    >
      <p>
        You confirm the removal with a passkey and receive an e-mail about it.
        {concerned.length > 0 &&
          ' While the key of the passkey is on an account, signing in with the passkey restores it.' +
            ' If the device was lost or stolen, first revoke the key under “Keys” on this page.'}
      </p>
      {affected.map(({ account: { address }, signers }) => (
        <p key={address}>
          <code>{address}</code> remains in your wallet: {signers.map(passkeyName).join(' and ')} can sign for it too.
        </p>
      ))}
      {lost.length > 0 && (
        <>
          <p className="banner bad">
            This is your only passkey for {lost.map(({ account }) => account.address).join(' and ')}. Without it you
            cannot sign for that account. Close this dialog and add the key of another passkey to the account first,
            under “Keys” on this page.
          </p>
          {lost.map(({ account: { address } }) => (
            <label className="field" key={address}>
              <span>To give up the account instead, type its address: {address}</span>
              <input
                className="input"
                autoComplete="off"
                spellCheck={false}
                value={typed[address] ?? ''}
                onChange={(event) => setTyped((before) => ({ ...before, [address]: event.target.value }))}
              />
            </label>
          ))}
        </>
      )}
    </Dialog>
  )
}
