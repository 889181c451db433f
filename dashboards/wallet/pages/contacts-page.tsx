import { useState } from 'react'
import type { ReactNode } from 'react'
import { useAuth } from '../../auth/auth-provider.tsx'
import { ProblemLine, QueryState, useAction } from '../../auth/action.tsx'
import { Button, Form } from '../../kit/controls.tsx'
import { Ago } from '../../kit/time.tsx'
import { EmptyState } from '../../kit/state.tsx'
import { chainOfAddress, readAddress } from '../chain/amounts.ts'
import { readEvmAddress } from '../chain/assets.ts'
import { addContact, removeContact } from '../chain/passkeys.ts'
import { useContacts, useRefresh } from '../own-data.ts'
import { PageTitle } from './layout.tsx'

export function ContactsPage(): ReactNode {
  const { data, error, refetch } = useContacts()
  return (
    <>
      <PageTitle title="Contacts" />
      <NewContact />
      <section className="panel" aria-label="Your contacts">
        <header>
          <h2>Your contacts</h2>
        </header>
        {data === undefined && <QueryState what="your contacts" error={error} refetch={refetch} />}
        {data?.length === 0 && (
          <EmptyState title="No contacts yet">
            Add the addresses that you send to, and choose them by name on the Send page.
          </EmptyState>
        )}
        <ul className="rows">
          {data?.map((contact) => (
            <Contact key={contact.id} {...contact} />
          ))}
        </ul>
      </section>
    </>
  )
}

function Contact({
  id,
  name,
  address,
  addedAt,
}: {
  readonly id: string
  readonly name: string
  readonly address: string
  readonly addedAt: string
}): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const { isBusy, problem, run } = useAction()
  return (
    <li>
      <span className="row-main">
        <span className="row-name">{name}</span>
        <code className="soft wrap">{address}</code>
        <span className="soft small">
          {address.length > 18 ? 'Flow EVM' : chainOfAddress(address)} · added <Ago at={addedAt} />
        </span>
      </span>
      <span className="row-actions">
        <Button
          isSmall
          disabled={isBusy}
          aria-label={`Delete ${name}`}
          onClick={() =>
            void run(async () => {
              await removeContact(auth, id)
              await reload()
            })
          }
        >
          Delete
        </Button>
      </span>
      <ProblemLine problem={problem} />
    </li>
  )
}

function NewContact(): ReactNode {
  const auth = useAuth()
  const reload = useRefresh()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { isBusy, problem, run } = useAction()
  const address = readAddress(text) ?? readEvmAddress(text)
  const isWrong =
    address === undefined
      ? /^\s*0x[0-9a-f]{40}\s*$/i.test(text)
      : address.length === 18 && chainOfAddress(address) === undefined
  const add = (): void =>
    void run(async () => {
      await addContact(auth, { name: name.trim(), address: address ?? '' })
      setName('')
      setText('')
      await reload()
    })
  return (
    <Form className="panel send-form" onSubmit={add}>
      <h2>Add a contact</h2>
      <label className="field">
        <span>Name</span>
        <input
          className="input"
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label className="field">
        <span>Flow or EVM address</span>
        <input
          className="input mono"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={60}
          placeholder="0x"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {isWrong && <p className="field-error">Invalid address: a digit is wrong.</p>}
      <ProblemLine problem={problem} />
      <div className="button-row">
        <Button type="submit" look="strong" disabled={isBusy || name.trim() === '' || address === undefined || isWrong}>
          {isBusy ? 'Adding…' : 'Add contact'}
        </Button>
      </div>
    </Form>
  )
}
