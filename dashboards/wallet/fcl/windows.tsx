import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { signAccountProof } from '../../../clients/signing/fcl-account-proof.ts'
import { Button, Badge } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { useAction } from '../../auth/action.tsx'
import { chainOfAddress } from '../chain/amounts.ts'
import { Decision, useLeaving, useSigner, Refusal } from './decision.tsx'
import { authnResponse, chainOfNetwork, proofWish, fclShapeProblem } from './services.ts'
import { visibleText, readableMessage } from './readable.ts'
import { bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../clients/signing/bytes.ts'
import { fclSignatureOf } from '../../../clients/signing/fcl-signable.ts'
import { fieldsOf, textOf } from '../../../clients/signing/fcl-shapes.ts'
import { signUserMessage } from '../../../clients/signing/sign-transaction.ts'
import type { ReadableMessage } from './readable.ts'
import { fullAddress } from './transaction-summary.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { AppRequest, OpenerChannel } from './opener-channel.ts'
import { networkNames } from '../own.ts'

/** An application wants to know which account somebody has here, and may want to have it proved. */
export function AuthnWindow({ request, own, channel, readAgain }: WindowProps): ReactNode {
  const { network, origin, body } = request
  const chain = network === undefined ? undefined : chainOfNetwork(network)
  const accounts = useMemo(
    () => own.filter(({ address }) => network === undefined || chainOfAddress(address) === chain),
    [own, network, chain],
  )
  const [choice, setChoice] = useState<string>()
  const chosen = accounts.find(({ address }) => address === choice) ?? accounts[0]
  const found = useSigner(chosen)
  const { isBusy, problem, run } = useAction()
  const begin = useLeaving()
  const wish = proofWish(body, origin)
  const agree = (): void =>
    void run(async () => {
      if (found.status !== 'ready') return
      const left = begin()
      const { signer } = found
      const signature = wish.kind === 'wanted' ? await signAccountProof(wish, signer, { signal: left }) : undefined
      if (left.aborted) return
      channel.approve(
        authnResponse(
          location.origin,
          signer,
          wish.kind === 'wanted' && signature !== undefined ? { ...wish, signature } : undefined,
        ),
      )
    })
  const decline = (): void => channel.decline('The person declined to connect.')
  return (
    <>
      <h1>Connect your account?</h1>
      <p className="soft">
        The page learns its address, and can ask you to sign. Each time you are shown here what it is.
      </p>
      {accounts.length === 0 && (
        <EmptyState
          title={
            chain === undefined && network !== undefined
              ? `This wallet knows no network ${visibleText(network)}`
              : 'You have no account on this network yet'
          }
        >
          <a href="/" target="_blank" rel="noreferrer">
            Open the wallet
          </a>{' '}
          to make one, then{' '}
          <Button isSmall onClick={readAgain}>
            look again
          </Button>
        </EmptyState>
      )}
      {accounts.length > 0 && (
        <AccountChoice accounts={accounts} chosen={chosen} onChoose={({ address }) => setChoice(address)} />
      )}
      {wish.kind === 'wanted' && !wish.isNamed && (
        <p className="soft small">
          It also wants a proof that the account is yours: your passkey signs it, and it is good for this page alone.
        </p>
      )}
      {wish.kind === 'wanted' && wish.isNamed && (
        <p className="banner bad" role="alert">
          It also wants a proof that the account is yours, made out to “{visibleText(wish.appIdentifier)}” and not to
          its own address. Go on only if you know that this name is of {origin}.
        </p>
      )}
      {wish.kind === 'foreign' && (
        <p className="banner bad" role="alert">
          It wants a proof made out to {visibleText(wish.appIdentifier)}, which is another page: with it somebody could
          sign in there as you. It gets none.
        </p>
      )}
      <Decision
        action={accounts.length === 0 ? undefined : 'Connect'}
        isBusy={isBusy}
        isDisabled={found.status !== 'ready'}
        usesPasskey={wish.kind === 'wanted'}
        problem={problem ?? (chosen !== undefined && found.status === 'problem' ? found.detail : undefined)}
        onAgree={agree}
        onDecline={decline}
      />
    </>
  )
}

/** A longer one nobody reads, in characters of hex. */
const maxMessage = 200_000

type Wanted =
  | { readonly message: Bytes; readonly shown: ReadableMessage; readonly address: string | undefined }
  | { readonly problem: string }

/** An application wants to have a message signed that is no transaction. */
export function UserSignatureWindow({ request, own, channel, readAgain }: WindowProps): ReactNode {
  const { network } = request
  const read = useMemo(() => readRequest(request.body), [request])
  const accounts = useMemo(() => {
    if ('problem' in read) return []
    return own.filter(({ address }) =>
      read.address === undefined
        ? network === undefined || chainOfAddress(address) === chainOfNetwork(network)
        : address === read.address,
    )
  }, [own, read, network])
  const [choice, setChoice] = useState<string>()
  const chosen = accounts.find(({ address }) => address === choice) ?? accounts[0]
  const found = useSigner(chosen)
  const { isBusy, problem, run } = useAction()
  const begin = useLeaving()
  if ('problem' in read) return <Refusal title="This cannot be signed" detail={read.problem} channel={channel} />
  const { message, shown, address } = read
  if (chosen === undefined) {
    const detail = `The page wants ${address ?? 'an account of its network'} to sign, and you have none that is it.`
    return (
      <Refusal title="This is none of your accounts" detail={detail} channel={channel} onRetry={readAgain} mayChange />
    )
  }
  if (found.status === 'problem')
    return (
      <Refusal title="Your account cannot sign this" detail={found.detail} channel={channel} onRetry={found.retry} />
    )

  const agree = (): void =>
    void run(async () => {
      if (found.status !== 'ready') return
      const left = begin()
      const signature = await signUserMessage(message, found.signer, { signal: left })
      if (!left.aborted) channel.approve(fclSignatureOf(signature))
    })
  return (
    <>
      <h1>Sign this message?</h1>
      <p className="soft">It moves nothing on the chain. The page can show it to others as said by you.</p>
      {shown.kind === 'bytes' && (
        <p className="banner" role="alert">
          This is no text: {message.length} bytes, of which nobody can see what they mean.
        </p>
      )}
      {shown.kind === 'text' && shown.isAltered && (
        <p className="banner bad" role="alert">
          There are characters in it that cannot be seen. They are written out here as ⟨U+…⟩.
        </p>
      )}
      <pre className="fcl-message" tabIndex={0} aria-label="Message">
        {shown.kind === 'text' ? shown.text : shown.hex}
      </pre>
      <AccountChoice accounts={accounts} chosen={chosen} onChoose={(one) => setChoice(one.address)} />
      <Decision
        action="Sign"
        isBusy={isBusy}
        isDisabled={found.status !== 'ready'}
        isDangerous={shown.kind === 'text' && shown.isAltered}
        problem={problem}
        onAgree={agree}
        onDecline={() => channel.decline('The person declined to sign the message.')}
      />
    </>
  )
}

function readRequest(body: Readonly<Record<string, unknown>>): Wanted {
  try {
    const message = bytesOfHex(textOf(body['message'], 'the message', maxMessage), 'the message')
    const data = body['data']
    const address = data === undefined || data === null ? undefined : fieldsOf(data, 'data')['addr']
    return {
      message,
      shown: readableMessage(message),
      address: address === undefined ? undefined : fullAddress(textOf(address, 'data.addr', 18)),
    }
  } catch (error) {
    return { problem: fclShapeProblem(error) }
  }
}

/** What each of the windows is given. */
export interface WindowProps {
  readonly request: AppRequest
  /** Accounts of whoever is signed in, with all passkeys that may sign for them. */
  readonly own: readonly OwnAccount[]
  readonly channel: OpenerChannel
  readonly readAgain: () => void
}

interface AccountChoiceProps {
  readonly accounts: readonly OwnAccount[]
  readonly chosen: OwnAccount | undefined
  readonly onChoose: (account: OwnAccount) => void
}

/** Which of the accounts an application is told of. */
function AccountChoice({ accounts, chosen, onChoose }: AccountChoiceProps): ReactNode {
  return (
    <fieldset className="fcl-accounts">
      <legend className="soft small">{accounts.length === 1 ? 'Your account' : 'With which account?'}</legend>
      {accounts.map((account) => (
        <label key={account.address} className="fcl-account">
          <input type="radio" name="account" checked={account === chosen} onChange={() => onChoose(account)} />
          <code className="wrap">{account.address}</code>
          <Badge tone={account.network === 'mainnet' ? 'good' : 'warn'}>{networkNames[account.network]}</Badge>
        </label>
      ))}
    </fieldset>
  )
}
