import type { ReactNode } from 'react'
import { valueText } from '../../kit/reference/document.ts'
import type { Endpoint } from '../../kit/reference/document.ts'
import { ApiReference } from '../../kit/reference/reference.tsx'
import type { PageProps } from '../pages.ts'
import { PageTitle } from '../parts/page.tsx'

/** Lists and fields that have values of required parameters, by parameter or by path. */
const sources: Readonly<Record<string, readonly [path: string, field: string]>> = {
  height: ['/flow/transaction', 'block_height'],
  id: ['/flow/transaction', 'id'],
  address: ['/flow/account', 'address'],
  token: ['/flow/ft', 'id'],
  nft_type: ['/flow/nft', 'id'],
  identifier: ['/flow/contract', 'identifier'],
  hash: ['/flow/transaction', 'script_hash'],
  node_id: ['/flow/node', 'node_id'],
  epoch: ['/staking/epoch/stats', 'epoch'],
  '/flow/evm/transaction/{hash}': ['/flow/evm/transaction', 'hash'],
  '/flow/evm/address/{address}': ['/flow/evm/transaction', 'evm_from'],
  '/flow/evm/token/{address}': ['/flow/evm/token', 'address'],
  '/flow/scheduled-transaction/{id}': ['/flow/scheduled-transaction', 'id'],
}

const firstItems = new Map<string, Promise<Readonly<Record<string, unknown>>>>()

function firstItem(path: string): Promise<Readonly<Record<string, unknown>>> {
  const found =
    firstItems.get(path) ??
    fetch(`${path}?limit=1`)
      .then((response) => response.json() as Promise<{ data?: readonly Readonly<Record<string, unknown>>[] }>)
      .then(({ data }) => data?.[0] ?? {})
      .catch(() => ({}))
  firstItems.set(path, found)
  return found
}

async function exampleOf({ path, parameters = [], method, requestBody }: Endpoint, name: string): Promise<string> {
  const values = parameters.find((parameter) => parameter.name === name)?.schema.enum
  if (values !== undefined) return valueText(values[0])
  const special = Object.keys(sources).find((key) => path.startsWith(key) && key.endsWith(`{${name}}`))
  const source = sources[special ?? name]
  // Requests that change something start empty.
  if (source === undefined || method !== 'GET' || requestBody !== undefined) return ''
  const value = (await firstItem(source[0]))[source[1]]
  return value === undefined || value === null ? '' : valueText(value)
}

export function ApiReferencePage({ values }: PageProps): ReactNode {
  return (
    <ApiReference
      operationId={values['operation']}
      renderTitle={(title) => <PageTitle title={title} />}
      exampleOf={exampleOf}
    />
  )
}
