import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAction } from '../../auth/action.tsx'
import { Badge, Button, FieldError, Form } from '../../kit/controls.tsx'
import { useToast } from '../../kit/toast.tsx'
import { useAccount } from '../account.tsx'
import type { Network } from '../types.ts'
import { networkNames } from '../../kit/network-names.ts'
import { useSettings } from '../settings.ts'
import type { Connection, Environment } from '../answers.gen.ts'

export interface EnvironmentsProps {
  readonly projectId: string
  readonly connection: Connection
  readonly environments: readonly Environment[]
  readonly onChanged: () => void
}

export function Environments({ projectId, connection, environments, onChanged }: EnvironmentsProps): ReactNode {
  const { repositories } = useAccount()
  const [open, setOpen] = useState<string>()
  const { isBusy, problem, run } = useAction()
  const done = (): void => {
    setOpen(undefined)
    onChanged()
  }
  return (
    <section className="stack-small" aria-label="Environments">
      <h3>Environments</h3>
      {environments.length === 0 && (
        <p className="soft small">No environments yet. An environment deploys a branch to a network and an account.</p>
      )}
      <ul className="deployments">
        {environments.map(({ name, branch, network, flow_address: address, secrets_configured: hasSecrets }) => (
          <li key={name}>
            <b>{name}</b>
            <span className="deployment-what soft small">
              <code>{branch}</code> to {networkNames[network]}
              {address === null ? (
                ''
              ) : (
                <>
                  {' '}
                  as <code>{address}</code>
                </>
              )}
            </span>
            {!hasSecrets && <Badge tone="warn">no key</Badge>}
            <Button
              isSmall
              look="plain"
              aria-expanded={open === name}
              onClick={() => setOpen(open === name ? undefined : name)}
            >
              {hasSecrets ? 'Replace key' : 'Set key'}
            </Button>
            <Button
              isSmall
              look="plain"
              disabled={isBusy}
              onClick={() => void run(async () => (await repositories.removeEnvironment(projectId, name), onChanged()))}
            >
              Remove {name}
            </Button>
            {open === name && <KeyForm projectId={projectId} name={name} onDone={done} />}
          </li>
        ))}
      </ul>
      <FieldError>{problem}</FieldError>
      <NewEnvironment projectId={projectId} connection={connection} onChanged={onChanged} />
    </section>
  )
}

function NewEnvironment({ projectId, connection, onChanged }: Omit<EnvironmentsProps, 'environments'>): ReactNode {
  const { repositories } = useAccount()
  const { networks } = useSettings()
  const [name, setName] = useState('')
  const [branch, setBranch] = useState(connection.branch)
  const [network, setNetwork] = useState<Network>(connection.network)
  const { isBusy, problem, run } = useAction()
  const add = (): void =>
    void run(async () => {
      await repositories.putEnvironment(projectId, { name: name.trim(), branch: branch.trim(), network })
      setName('')
      onChanged()
    })
  return (
    <Form className="stack-small" onSubmit={add}>
      <div className="field-pair three">
        <label className="field">
          <span>New environment</span>
          <input
            className="input"
            value={name}
            placeholder="staging"
            pattern="[A-Za-z][A-Za-z0-9_\-]{0,39}"
            title="A letter, then up to 39 letters, digits, - or _"
            spellCheck={false}
            required
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <label className="field">
          <span>Branch</span>
          <input
            className="input mono"
            value={branch}
            spellCheck={false}
            required
            onChange={({ target }) => setBranch(target.value)}
          />
        </label>
        <label className="field">
          <span>Network</span>
          <select className="input" value={network} onChange={({ target }) => setNetwork(target.value as Network)}>
            {networks.map((one) => (
              <option key={one.network} value={one.network}>
                {networkNames[one.network]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <FieldError>{problem}</FieldError>
      <div className="button-row">
        <Button type="submit" isSmall disabled={isBusy}>
          Add environment
        </Button>
      </div>
    </Form>
  )
}

function KeyForm({
  projectId,
  name,
  onDone,
}: {
  readonly projectId: string
  readonly name: string
  readonly onDone: () => void
}): ReactNode {
  const { repositories } = useAccount()
  const showToast = useToast()
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  const [index, setIndex] = useState('0')
  const { isBusy, problem, run } = useAction()
  const put = (): void =>
    void run(async () => {
      await repositories.putSecrets(projectId, {
        environment_name: name,
        flow_address: address.trim(),
        privateKey: key.trim(),
        flow_key_index: Number(index),
      })
      showToast(`The key of ${name} was saved in the repository.`)
      onDone()
    })
  return (
    <Form className="stack-small key-form" onSubmit={put}>
      <p className="soft small">
        Your browser encrypts the key for the workflows of this repository; this service never receives the key itself.
        Use a key for deployments only: everyone who can push to the repository can use it.
      </p>
      <div className="field-pair three">
        <label className="field">
          <span>Account</span>
          <input
            className="input mono"
            value={address}
            placeholder="0x0123456789abcdef"
            spellCheck={false}
            required
            onChange={({ target }) => setAddress(target.value)}
          />
        </label>
        <label className="field">
          <span>Private key, 64 hex digits</span>
          <input
            className="input mono"
            type="password"
            autoComplete="off"
            value={key}
            spellCheck={false}
            required
            onChange={({ target }) => setKey(target.value)}
          />
        </label>
        <label className="field">
          <span>Key index</span>
          <input
            className="input"
            type="number"
            min={0}
            max={1_000_000}
            step={1}
            value={index}
            required
            onChange={({ target }) => setIndex(target.value)}
          />
        </label>
      </div>
      <FieldError>{problem}</FieldError>
      <div className="button-row">
        <Button type="submit" isSmall look="strong" disabled={isBusy}>
          Save key
        </Button>
      </div>
    </Form>
  )
}
