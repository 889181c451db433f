import type { ReactNode } from 'react'
import { ProblemLine } from '../../auth/action.tsx'
import { Button, Icon } from '../../kit/controls.tsx'
import { networkNames } from '../../kit/network-names.ts'
import { useStore } from '../project/project-state.ts'
import type { Runner } from '../run/runner.ts'
import type { Signer } from '../run/send-transaction.ts'
import { useSettings } from '../settings.ts'
import type { Network } from '../types.ts'

interface SignerLineProps {
  readonly runner: Runner
  readonly network: Network
  readonly signer: Signer | undefined
}

/** The account that signs, or why none can. */
export function SignerLine({ runner, network, signer }: SignerLineProps): ReactNode {
  const { isConnecting, connectProblem } = useStore(runner)
  const { wallet } = useSettings()
  if (wallet === null)
    return (
      <p className="soft">
        Transactions are signed in the wallet, which is not available here: the operator sets WALLET_URL to offer it.
      </p>
    )
  if (signer !== undefined)
    return (
      <div className="signer">
        <span className="small soft">Signs and pays</span>
        <code>{signer.address}</code>
        <Button isSmall onClick={() => runner.disconnect()}>
          Disconnect
        </Button>
      </div>
    )
  return (
    <div className="stack-small">
      <p className="soft">Connect an account of your wallet on {networkNames[network]} to sign and pay.</p>
      <div className="button-row">
        <Button look="strong" disabled={isConnecting} onClick={() => runner.connect()}>
          <Icon name="key" /> {isConnecting ? 'Waiting for the wallet…' : 'Connect wallet'}
        </Button>
      </div>
      <ProblemLine problem={connectProblem} />
    </div>
  )
}
