import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import './reference.css'
import { problemText, request } from '../api.ts'
import { Badge, Button, Icon } from '../controls.tsx'
import { Link, navigate } from '../router.tsx'
import { EmptyState, ErrorState, Loading } from '../state.tsx'
import { CopyButton } from '../toast.tsx'
import {
  bodyOf,
  endpointsOf,
  errorsOf,
  limitsText,
  matchesFilter,
  objectOf,
  requiredSchemes,
  successOf,
  typeText,
} from './document.ts'
import type { ApiDocument, Endpoint, Parameter, Schema } from './document.ts'
import { RequestPanel } from './request-panel.tsx'
import type { ExampleOf } from './request-panel.tsx'
import { Text } from './text.tsx'

const home = '/docs'

interface ApiReferenceProps {
  /** From the path. Undefined: the introduction. */
  readonly operationId: string | undefined
  readonly renderTitle: (title: string) => ReactNode
  /** Values of required parameters that exist on this server. */
  readonly exampleOf?: ExampleOf
}

/** The reference of the API at this origin, from its `/openapi.json`. */
export function ApiReference({ operationId, renderTitle, exampleOf }: ApiReferenceProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['/openapi.json'],
    queryFn: async ({ signal }) => (await (await request('/openapi.json', { signal })).json()) as ApiDocument,
    staleTime: Infinity,
  })
  const endpoints = useMemo(() => (data === undefined ? [] : endpointsOf(data)), [data])
  // Links of earlier versions: /docs#operationId.
  useEffect(() => {
    const id = location.hash.slice(1)
    if (endpoints.some((endpoint) => endpoint.operationId === id)) navigate(`${home}/${id}`, { isReplacing: true })
  }, [endpoints])
  if (data === undefined)
    return (
      <>
        {renderTitle('API reference')}
        {error === null ? (
          <Loading rows={8} label="Loading the API description…" />
        ) : (
          <ErrorState
            title="Could not load the API description"
            detail={problemText(error)}
            onRetry={() => void refetch()}
          />
        )}
      </>
    )
  const endpoint = endpoints.find((each) => each.operationId === operationId)
  return (
    <div className="reference">
      <Contents endpoints={endpoints} current={operationId} />
      {endpoint !== undefined ? (
        <EndpointPage
          key={endpoint.operationId}
          endpoint={endpoint}
          document={data}
          renderTitle={renderTitle}
          exampleOf={exampleOf}
        />
      ) : (
        <article className="reference-text">
          {operationId === undefined ? (
            <Introduction document={data} renderTitle={renderTitle} />
          ) : (
            <>
              {renderTitle('Endpoint not found')}
              <p>
                The API has no operation <code>{operationId}</code>. It may have been renamed.{' '}
                <Link to={home}>Open the introduction</Link>
              </p>
            </>
          )}
        </article>
      )}
    </div>
  )
}

interface ContentsProps {
  readonly endpoints: readonly Endpoint[]
  readonly current: string | undefined
}

function Contents({ endpoints, current }: ContentsProps): ReactNode {
  const [filter, setFilter] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const found = filter === '' ? endpoints : endpoints.filter((endpoint) => matchesFilter(endpoint, filter))
  const groups = [...Map.groupBy(found, ({ tags }) => tags[0] ?? '')]
  const currentTag = endpoints.find(({ operationId }) => operationId === current)?.tags[0]
  const close = (): void => setIsOpen(false)
  return (
    <nav className={isOpen ? 'contents open' : 'contents'} aria-label="Endpoints">
      <div className="contents-head">
        <input
          className="input"
          type="search"
          aria-label="Filter endpoints"
          placeholder="Filter endpoints"
          spellCheck={false}
          value={filter}
          onChange={(event) => {
            setFilter(event.target.value)
            setIsOpen(event.target.value !== '')
          }}
        />
        <span className="contents-button">
          <Button
            isIcon
            aria-label="Endpoints"
            aria-expanded={isOpen}
            aria-controls="endpoints"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'cross' : 'menu'} />
          </Button>
        </span>
      </div>
      <div id="endpoints" className="contents-list">
        <Link to={home} aria-current={current === undefined ? 'page' : undefined} onClick={close}>
          Introduction
        </Link>
        {groups.map(([tag, members]) => (
          <details key={`${tag} ${filter === ''}`} open={filter !== '' || tag === currentTag}>
            <summary>
              {tag} <span className="soft">{members.length}</span>
            </summary>
            <ul>
              {members.map(({ operationId, method, path, summary }) => (
                <li key={operationId}>
                  <Link
                    to={`${home}/${operationId}`}
                    title={`${method} ${path}`}
                    aria-current={operationId === current ? 'page' : undefined}
                    onClick={close}
                  >
                    {method !== 'GET' && <Method method={method} />}
                    {summary}
                  </Link>
                </li>
              ))}
            </ul>
          </details>
        ))}
        {groups.length === 0 && <EmptyState title="No endpoints match">Filter by path, name or group.</EmptyState>}
      </div>
    </nav>
  )
}

function Method({ method }: { readonly method: string }): ReactNode {
  return <span className={`method ${method.toLowerCase()}`}>{method}</span>
}

interface IntroductionProps {
  readonly document: ApiDocument
  readonly renderTitle: (title: string) => ReactNode
}

function Introduction({ document: { info }, renderTitle }: IntroductionProps): ReactNode {
  const changes = info['x-changelog'] ?? []
  return (
    <>
      {renderTitle(info.title)}
      <p className="button-row">
        <a className="button" href="/openapi.json" download="openapi.json">
          <Icon name="save" /> openapi.json
        </a>
        <a className="button" href="/openapi.yaml" download="openapi.yaml">
          <Icon name="save" /> openapi.yaml
        </a>
      </p>
      <Text text={info.description} />
      {changes.length > 0 && (
        <>
          <h2 id="changelog">Changelog</h2>
          {changes.map(({ date, changes: lines }) => (
            <div key={date}>
              <h3>
                <time dateTime={date}>{date}</time>
              </h3>
              <Text text={lines.map((line) => `- ${line}`).join('\n')} />
            </div>
          ))}
        </>
      )}
    </>
  )
}

interface EndpointPageProps {
  readonly endpoint: Endpoint
  readonly document: ApiDocument
  readonly renderTitle: (title: string) => ReactNode
  readonly exampleOf: ExampleOf | undefined
}

const accessTexts: Readonly<Record<string, string>> = {
  admin: 'Administrators',
  key: 'Developer key',
  token: 'Token',
}

function EndpointPage({ endpoint, document, renderTitle, exampleOf }: EndpointPageProps): ReactNode {
  const { method, path, summary, description, parameters = [] } = endpoint
  const { schemas } = document.components
  const schemes = requiredSchemes(endpoint)
  const access = schemes.map((scheme) => accessTexts[scheme]).find((text) => text !== undefined)
  const answer = bodyOf(successOf(endpoint))
  const sent = bodyOf(endpoint.requestBody)
  const placed = (place: Parameter['in']): readonly Parameter[] => parameters.filter((each) => each.in === place)
  return (
    <article className="endpoint">
      <div className="reference-text">
        {renderTitle(summary)}
        <p className="endpoint-line">
          <Method method={method} />
          <code>{path}</code>
          <CopyButton text={path} what="path" />
          {access !== undefined && <Badge>{access}</Badge>}
        </p>
        {description !== undefined && <Text text={description} />}
        <Parameters title="Path parameters" parameters={placed('path')} />
        <Parameters title="Query parameters" parameters={placed('query')} />
        {sent !== undefined && (
          <>
            <h2>Body</h2>
            <Fields schema={sent.schema} schemas={schemas} isRequest />
          </>
        )}
        {answer !== undefined && (
          <>
            <h2>Response</h2>
            <p className="soft">
              {typeText(answer.schema)}, <code>{answer.type}</code>
            </p>
            <Fields schema={answer.schema} schemas={schemas} />
          </>
        )}
        <h2>Errors</h2>
        <ul className="fields">
          {errorsOf(endpoint, document).map(([status, meaning]) => (
            <li key={status}>
              <code>{status}</code>
              <Text text={meaning} />
            </li>
          ))}
        </ul>
      </div>
      <RequestPanel endpoint={endpoint} document={document} exampleOf={exampleOf} />
    </article>
  )
}

interface ParametersProps {
  readonly title: string
  readonly parameters: readonly Parameter[]
}

function Parameters({ title, parameters }: ParametersProps): ReactNode {
  if (parameters.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul className="fields">
        {parameters.map(({ name, required, schema, description }) => (
          <li key={name}>
            <code>{name}</code> <span className="soft">{typeText(schema)}</span>
            {required && <span className="required">required</span>}
            {limitsText(schema) !== '' && <span className="soft">{limitsText(schema)}</span>}
            {description !== undefined && <Text text={description} />}
          </li>
        ))}
      </ul>
    </>
  )
}

interface FieldsProps {
  readonly schema: Schema
  readonly schemas: ApiDocument['components']['schemas']
  /** Marks required fields. */
  readonly isRequest?: boolean
  /** Names of the objects around it: recursive ones are not repeated. */
  readonly parents?: readonly string[]
}

function Fields({ schema, schemas, isRequest = false, parents = [] }: FieldsProps): ReactNode {
  const found = objectOf(schema, schemas)
  if (found === undefined) return null
  const { properties = {}, required = [] } = found.schema
  const inside = found.name === undefined ? parents : [...parents, found.name]
  return (
    <ul className="fields">
      {Object.entries(properties).map(([name, field]) => {
        const child = objectOf(field, schemas)
        const isRepeated = child?.name !== undefined && inside.includes(child.name)
        return (
          <li key={name}>
            <code>{name}</code> <span className="soft">{typeText(field)}</span>
            {isRequest && required.includes(name) && <span className="required">required</span>}
            {!isRequest && !required.includes(name) && <span className="soft">optional</span>}
            {field.description !== undefined && <Text text={field.description} />}
            {child !== undefined && !isRepeated && (
              <LazyDetails summary={`Fields of ${child.name ?? name}`} isOpen={name === 'data' && parents.length === 0}>
                <Fields schema={field} schemas={schemas} isRequest={isRequest} parents={inside} />
              </LazyDetails>
            )}
          </li>
        )
      })}
    </ul>
  )
}

interface LazyDetailsProps {
  readonly summary: string
  readonly isOpen: boolean
  readonly children: ReactNode
}

/** Nested objects have thousands of fields, so closed ones are not rendered. */
function LazyDetails({ summary, isOpen, children }: LazyDetailsProps): ReactNode {
  const [isShown, setIsShown] = useState(isOpen)
  return (
    <details open={isShown} onToggle={(event) => setIsShown(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isShown && children}
    </details>
  )
}
