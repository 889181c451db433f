import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { bytesOfHex } from '../../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../../clients/signing/bytes.ts'
import { fclSignatureOf } from '../../../../clients/signing/fcl-signable.ts'
import { fieldsOf, textOf } from '../../../../clients/signing/fcl-shapes.ts'
import { signUserMessage } from '../../../../clients/signing/sign-transaction.ts'
import { useAction } from '../../../auth/use-action.ts'
import { chainOfAddress } from '../../chain/address-code.ts'
import { AccountChoice } from '../parts/account-choice.tsx'
import { Decision } from '../parts/decision.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { chainOfNetwork } from '../services.ts'
import { fclShapeProblem } from '../signable-problem.ts'
import { readableMessage } from '../summary/readable-message.ts'
import type { ReadableMessage } from '../summary/readable-message.ts'
import { fullAddress } from '../summary/transaction-summary.ts'
import { useLeaving } from '../use-leaving.ts'
import { useSigner } from '../use-signer.ts'
import type { WindowProps } from './window-props.ts'

/** A longer one nobody reads, in characters of hex. */
const mostMessage = 200_000

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
    const message = bytesOfHex(textOf(body['message'], 'the message', mostMessage), 'the message')
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
