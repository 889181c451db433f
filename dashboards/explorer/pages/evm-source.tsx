import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { problemText, request } from '../../kit/api.ts'
import { CodeView } from '../../kit/code.tsx'
import { Badge, Button, FieldError, Form } from '../../kit/controls.tsx'
import { formatNumber } from '../../kit/formats.ts'
import { EmptyState } from '../../kit/state.tsx'
import { useToast } from '../../kit/toast.tsx'
import type { EvmVerifiedContract } from '../answers.gen.ts'
import { apiUrl, useApi } from '../api.ts'
import { ParameterTree } from '../parts/evm.tsx'
import { ItemResult, QueryResult } from '../parts/lists.tsx'
import { Detail, DetailPanel } from '../parts/page.tsx'
import { Moment, ValueTree } from '../parts/values.tsx'

interface SourceProps {
  readonly address: string
}

const path = '/flow/evm/address/{address}/contract'

/** Source of a verified contract. */
export function EvmSource({ address }: SourceProps): ReactNode {
  return (
    <ItemResult query={useApi(path, { address })} what="the source" rows={6}>
      {(contract) => <VerifiedContract contract={contract} />}
    </ItemResult>
  )
}

function optimizerOf({ optimizer }: EvmVerifiedContract['settings']): string {
  const { enabled, runs } = (optimizer ?? {}) as { readonly enabled?: boolean; readonly runs?: number }
  return enabled === true ? `On, ${formatNumber(runs ?? 0)} runs` : 'Off'
}

function VerifiedContract({ contract }: { readonly contract: EvmVerifiedContract }): ReactNode {
  const { match, name, compiler, settings, sources, abi, verified_at: verifiedAt } = contract
  const { constructor_arguments: encoded, decoded_constructor: decoded } = contract
  return (
    <>
      <DetailPanel label="Verified contract">
        <Detail name="Contract">
          {name} <Badge tone="good">{match === 'full' ? 'Verified, full match' : 'Verified, partial match'}</Badge>
          {match === 'partial' && (
            <p className="note">The code is equal. Comments, names or paths in the sources may differ.</p>
          )}
        </Detail>
        <Detail name="Compiler">solc {compiler}</Detail>
        <Detail name="Optimizer">{optimizerOf(settings)}</Detail>
        {typeof settings['evmVersion'] === 'string' && <Detail name="EVM version">{settings['evmVersion']}</Detail>}
        {decoded !== null && (
          <Detail name="Constructor">
            <ParameterTree parameters={decoded} />
          </Detail>
        )}
        {decoded === null && encoded !== null && encoded !== '0x' && (
          <Detail name="Constructor">
            <ValueTree value={encoded} />
          </Detail>
        )}
        <Detail name="Verified">
          <Moment at={verifiedAt} />
        </Detail>
      </DetailPanel>
      {sources.map((source) => (
        <CodePanel key={source.path} title={source.path} code={source.content} />
      ))}
      <CodePanel title="ABI" code={JSON.stringify(abi, null, 2)} />
      <CodePanel title="Settings" code={JSON.stringify(settings, null, 2)} />
    </>
  )
}

function CodePanel({ title, code }: { readonly title: string; readonly code: string }): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <header>
        <h2 className="wrap">{title}</h2>
      </header>
      <CodeView code={code} label={title} />
    </section>
  )
}

interface Upload {
  readonly text: string
  readonly contract: string
  readonly runs: string
  readonly evmVersion: string
}

/** @throws SyntaxError for invalid standard JSON */
function bodyOf({ text, contract, runs, evmVersion }: Upload, version: string): object {
  const name = contract.trim() === '' ? {} : { contract: contract.trim() }
  if (text.trimStart().startsWith('{')) {
    return { compiler_version: version, ...name, standard_json: JSON.parse(text) as unknown }
  }
  return {
    compiler_version: version,
    ...name,
    source: text,
    ...(runs === '' ? {} : { optimizer_runs: Number(runs) }),
    ...(evmVersion.trim() === '' ? {} : { evm_version: evmVersion.trim() }),
  }
}

export function VerifyForm({ address }: SourceProps): ReactNode {
  return (
    <section className="panel" aria-label="Verify the source">
      <header>
        <h2>Verify the source</h2>
      </header>
      <QueryResult query={useApi('/flow/evm/compiler')} what="the compilers" rows={2}>
        {({ data: [compiler] }) =>
          compiler === undefined ? (
            <EmptyState title="No compiler">
              This server cannot verify contracts: the optional package solc is not installed.
            </EmptyState>
          ) : (
            <UploadForm address={address} version={compiler.version} />
          )
        }
      </QueryResult>
    </section>
  )
}

function UploadForm({ address, version }: SourceProps & { readonly version: string }): ReactNode {
  const [upload, change] = useState<Upload>({ text: '', contract: '', runs: '200', evmVersion: '' })
  const set = (changes: Partial<Upload>): void => change((old) => ({ ...old, ...changes }))
  const [showToast, queries] = [useToast(), useQueryClient()]
  const verification = useMutation({
    mutationFn: async () =>
      request(apiUrl(path, { address }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(upload, version)),
      }),
    onSuccess: async () => {
      showToast('The source is verified')
      await queries.invalidateQueries()
    },
  })
  const isJson = upload.text.trimStart().startsWith('{')
  const error = verification.error instanceof SyntaxError ? 'The standard JSON is not valid JSON.' : undefined
  return (
    <Form className="search-form" onSubmit={() => verification.mutate()}>
      <p className="soft">
        Anyone can verify a contract: the source is stored if solc {version} compiles it to the code at this address.
        Other versions are not available.
      </p>
      <label className="field">
        <span>Solidity source, or standard JSON input of the compiler</span>
        <textarea
          className="input code-input"
          rows={10}
          required
          maxLength={1_000_000}
          spellCheck={false}
          value={upload.text}
          onChange={({ target }) => set({ text: target.value })}
        />
      </label>
      <label className="field">
        <span>Or a file</span>
        <input
          type="file"
          className="input"
          accept=".sol,.json"
          onChange={({ target }) => void target.files?.[0]?.text().then((text) => set({ text }))}
        />
      </label>
      <div className="two-fields">
        <label className="field">
          <span>Contract name (optional)</span>
          <input
            className="input"
            autoComplete="off"
            spellCheck={false}
            value={upload.contract}
            onChange={({ target }) => set({ contract: target.value })}
          />
        </label>
        {!isJson && (
          <label className="field">
            <span>Optimizer runs (empty: off)</span>
            <input
              className="input"
              type="number"
              min={0}
              value={upload.runs}
              onChange={({ target }) => set({ runs: target.value })}
            />
          </label>
        )}
        {!isJson && (
          <label className="field">
            <span>EVM version (empty: default)</span>
            <input
              className="input"
              placeholder="cancun"
              autoComplete="off"
              spellCheck={false}
              value={upload.evmVersion}
              onChange={({ target }) => set({ evmVersion: target.value })}
            />
          </label>
        )}
      </div>
      <FieldError>{verification.isError ? (error ?? problemText(verification.error)) : undefined}</FieldError>
      <div className="button-row">
        <Button type="submit" look="strong" disabled={verification.isPending}>
          {verification.isPending ? 'Verifying…' : 'Verify'}
        </Button>
      </div>
    </Form>
  )
}
