import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { signAccountProof } from '../../../../clients/signing/fcl-account-proof.ts'
import { Button } from '../../../kit/button.tsx'
import { NothingHere } from '../../../kit/state.tsx'
import { useAction } from '../../../auth/use-action.ts'
import { chainOfAddress } from '../../chain/address-code.ts'
import { AccountChoice } from '../parts/account-choice.tsx'
import { Decision } from '../parts/decision.tsx'
import { authnResponse, chainOfNetwork, proofWish } from '../services.ts'
import { visibleText } from '../summary/hidden-characters.ts'
import { useLeaving } from '../use-leaving.ts'
import { useSigner } from '../use-signer.ts'
import type { WindowProps } from './window-props.ts'

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
        <NothingHere
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
        </NothingHere>
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
