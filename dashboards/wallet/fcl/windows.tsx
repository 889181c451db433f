import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { signAccountProof } from '../../../clients/signing/fcl-account-proof.ts'
import { Button, Badge } from '../../kit/controls.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { useAction } from '../../auth/action.tsx'
import { useAuth } from '../../auth/auth-provider.tsx'
import { reportSignature } from '../chain/passkeys.ts'
import { chainOfAddress } from '../chain/amounts.ts'
import { Decision, useUnmountSignal, useSigner, Refusal } from './decision.tsx'
import { authnResponse, chainOfNetwork, proofRequest, fclShapeProblem } from './services.ts'
import { visibleText, readableMessage } from './readable.ts'
import { base64UrlOf, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../clients/signing/bytes.ts'
import { fclSignatureOf } from '../../../clients/signing/fcl-signable.ts'
import { fieldsOf, textOf } from '../../../clients/signing/fcl-shapes.ts'
import { signUserMessage } from '../../../clients/signing/sign-transaction.ts'
import type { ReadableMessage } from './readable.ts'
import { fullAddress } from './transaction-summary.ts'
import type { OwnAccount } from '../chain/chain-client.ts'
import type { AppRequest, OpenerChannel } from './opener-channel.ts'
import { networkNames } from '../../kit/network-names.ts'

export function AuthnWindow({ request, own, channel, reload }: WindowProps): ReactNode {
  const { network, origin, body } = request
  const auth = useAuth()
  const chain = network === undefined ? undefined : chainOfNetwork(network)
  const accounts = useMemo(
    () => own.filter(({ address }) => network === undefined || chainOfAddress(address) === chain),
    [own, network, chain],
  )
  const [choice, setChoice] = useState<string>()
  const chosen = accounts.find(({ address }) => address === choice) ?? accounts[0]
  const found = useSigner(chosen)
  const { isBusy, problem, run } = useAction()
  const begin = useUnmountSignal()
  const proof = proofRequest(body, origin)
  const agree = (): void =>
    void run(async () => {
      if (found.status !== 'ready') return
      const left = begin()
      const { signer } = found
      const signature = proof.kind === 'requested' ? await signAccountProof(proof, signer, { signal: left }) : undefined
      if (left.aborted) return
      if (signature !== undefined && chosen !== undefined)
        reportSignature(auth, {
          kind: 'proof',
          origin,
          network: chosen.network,
          address: chosen.address,
          credentialId: base64UrlOf(signer.credentialId),
          summary: `Proof of ownership for ${origin}`,
        })
      channel.approve(
        authnResponse(
          location.origin,
          signer,
          proof.kind === 'requested' && signature !== undefined ? { ...proof, signature } : undefined,
        ),
      )
    })
  const decline = (): void => channel.decline('The user declined to connect.')
  return (
    <>
      <h1>Connect your account?</h1>
      <p className="soft">
        The app sees the address of the account and can request signatures. You review each request here.
      </p>
      {accounts.length === 0 && (
        <EmptyState
          title={
            chain === undefined && network !== undefined
              ? `This wallet does not support the network ${visibleText(network)}`
              : 'You have no account on this network yet'
          }
        >
          <a href="/" target="_blank" rel="noreferrer">
            Open the wallet
          </a>{' '}
          to create one, then{' '}
          <Button isSmall onClick={reload}>
            Check again
          </Button>
        </EmptyState>
      )}
      {accounts.length > 0 && (
        <AccountChoice accounts={accounts} chosen={chosen} onChoose={({ address }) => setChoice(address)} />
      )}
      {proof.kind === 'requested' && !proof.isNamed && (
        <p className="soft small">
          The app also requests a proof that the account is yours. Your passkey signs it for this app only.
        </p>
      )}
      {proof.kind === 'requested' && proof.isNamed && (
        <p className="banner bad" role="alert">
          The app also requests a proof that the account is yours, issued to “{visibleText(proof.appIdentifier)}”
          instead of its own address. Continue only if you know that this name belongs to {origin}.
        </p>
      )}
      {proof.kind === 'foreign' && (
        <p className="banner bad" role="alert">
          The app requested a proof for {visibleText(proof.appIdentifier)}, which is another site. With it, the app
          could sign in there as you. The wallet does not sign it.
        </p>
      )}
      <Decision
        action={accounts.length === 0 ? undefined : 'Connect'}
        isBusy={isBusy}
        isDisabled={found.status !== 'ready'}
        usesPasskey={proof.kind === 'requested'}
        problem={problem ?? (chosen !== undefined && found.status === 'problem' ? found.detail : undefined)}
        onAgree={agree}
        onDecline={decline}
      />
    </>
  )
}

/** Hex characters. */
const maxMessage = 200_000

type Wanted =
  | { readonly message: Bytes; readonly shown: ReadableMessage; readonly address: string | undefined }
  | { readonly problem: string }

export function UserSignatureWindow({ request, own, channel, reload }: WindowProps): ReactNode {
  const { network } = request
  const auth = useAuth()
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
  const begin = useUnmountSignal()
  if ('problem' in read) return <Refusal title="Could not sign the message" detail={read.problem} channel={channel} />
  const { message, shown, address } = read
  if (chosen === undefined) {
    const detail = `The app requires ${address ?? 'an account of its network'}, and you have no such account.`
    return (
      <Refusal title="This is not one of your accounts" detail={detail} channel={channel} onRetry={reload} mayChange />
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
      if (left.aborted) return
      reportSignature(auth, {
        kind: 'message',
        origin: request.origin,
        network: chosen.network,
        address: chosen.address,
        credentialId: base64UrlOf(found.signer.credentialId),
        summary: shown.kind === 'text' ? shown.text : `${message.length} bytes`,
      })
      channel.approve(fclSignatureOf(signature))
    })
  return (
    <>
      <h1>Sign this message?</h1>
      <p className="soft">
        Signing changes nothing on the chain. The app can show the message to others as signed by you.
      </p>
      {shown.kind === 'bytes' && (
        <p className="banner" role="alert">
          The message is binary data of {message.length} bytes. Its meaning cannot be shown.
        </p>
      )}
      {shown.kind === 'text' && shown.isAltered && (
        <p className="banner bad" role="alert">
          The message contains invisible characters. They are shown as ⟨U+…⟩.
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
        onDecline={() => channel.decline('The user declined to sign the message.')}
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

export interface WindowProps {
  readonly request: AppRequest
  readonly own: readonly OwnAccount[]
  readonly channel: OpenerChannel
  readonly reload: () => void
}

interface AccountChoiceProps {
  readonly accounts: readonly OwnAccount[]
  readonly chosen: OwnAccount | undefined
  readonly onChoose: (account: OwnAccount) => void
}

function AccountChoice({ accounts, chosen, onChoose }: AccountChoiceProps): ReactNode {
  return (
    <fieldset className="fcl-accounts">
      <legend className="soft small">{accounts.length === 1 ? 'Your account' : 'Choose an account'}</legend>
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
