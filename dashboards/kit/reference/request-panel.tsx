import { useEffect, useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { browserStorage } from '../browser.ts'
import { Tokens } from '../code.tsx'
import { Badge, Button, Form, Icon } from '../controls.tsx'
import { Tabs, tabId } from '../tabs.tsx'
import { CopyButton } from '../toast.tsx'
import { bodyOf, requiredSchemes, successOf, valueText } from './document.ts'
import type { ApiDocument, Endpoint, SecurityScheme } from './document.ts'
import { languages, pathOf, readSampleTokens, sampleOf } from './samples.ts'
import type { Language } from './samples.ts'
import { send } from './send.ts'
import type { Answered } from './send.ts'

export type ExampleOf = (endpoint: Endpoint, parameter: string) => Promise<string>

interface RequestPanelProps {
  readonly endpoint: Endpoint
  readonly document: ApiDocument
  readonly exampleOf: ExampleOf | undefined
}

/** In memory only, by name of the security scheme. */
const secrets = new Map<string, string>()
const languageKey = 'flowfarm-sample-language'

export function RequestPanel({ endpoint, document, exampleOf }: RequestPanelProps): ReactNode {
  const { method, parameters = [] } = endpoint
  const answer = bodyOf(successOf(endpoint))
  const example = bodyOf(endpoint.requestBody)?.example
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [body, setBody] = useState(example === undefined ? undefined : format(example))
  const [scheme = Object.keys(endpoint.security[0] ?? {})[0] ?? Object.keys(endpoint.security[1] ?? {})[0]] =
    requiredSchemes(endpoint)
  const [secret, setSecret] = useState(secrets.get(scheme ?? '') ?? '')
  const [answered, setAnswered] = useState<Answered | 'sending'>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => {
    const missing = (endpoint.parameters ?? []).filter(({ required }) => required)
    if (exampleOf !== undefined)
      for (const { name } of missing)
        void exampleOf(endpoint, name).then((value) => setValues((old) => ({ [name]: value, ...old })))
    return () => running.current?.abort()
  }, [endpoint, exampleOf])

  const isSecret = requiredSchemes(endpoint).length > 0 || secret !== ''
  const credentials =
    scheme === undefined || !isSecret ? undefined : headerOf(document.components.securitySchemes[scheme])
  const run = async (changed: Readonly<Record<string, string>> = values): Promise<void> => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setAnswered('sending')
    const result = await send(pathOf(endpoint, { parameters: changed, body }), {
      method,
      signal: own.signal,
      headers: {
        ...(credentials === undefined || secret === ''
          ? {}
          : { [credentials.header]: `${credentials.prefix}${secret}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    if (running.current === own) setAnswered(result)
  }
  const nextPage = (cursor: string): void => {
    const changed = { ...values, cursor }
    setValues(changed)
    void run(changed)
  }
  return (
    <aside className="request" aria-label="Try it">
      <Samples
        of={(language) =>
          sampleOf(language, {
            method,
            url: `${location.origin}${pathOf(endpoint, { parameters: values, body })}`,
            credentials,
            body,
            isJson: answer?.type.includes('json') === true,
          })
        }
      />
      <section className="panel" aria-label="Request">
        <Form className="request-form" onSubmit={() => void run()}>
          {parameters.map(({ name, required, schema }) => (
            <label key={name} className="field">
              <span>
                {name}
                {required && ' (required)'}
              </span>
              {schema.enum === undefined ? (
                <input
                  className="input"
                  required={required}
                  spellCheck={false}
                  autoComplete="off"
                  placeholder={schema.default === undefined ? '' : valueText(schema.default)}
                  value={values[name] ?? ''}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                />
              ) : (
                <select
                  className="input"
                  value={values[name] ?? ''}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                >
                  <option value="">{schema.default === undefined ? '–' : valueText(schema.default)}</option>
                  {schema.enum.map((value) => (
                    <option key={valueText(value)}>{valueText(value)}</option>
                  ))}
                </select>
              )}
            </label>
          ))}
          {body !== undefined && (
            <label className="field wide-field">
              <span>Body</span>
              <textarea
                className="input"
                rows={8}
                spellCheck={false}
                value={body}
                onChange={(event) => setBody(event.target.value)}
              />
            </label>
          )}
          {scheme !== undefined && (
            <label className="field wide-field">
              <span>{document.components.securitySchemes[scheme]?.name ?? 'Bearer token'}</span>
              <input
                className="input"
                type="password"
                autoComplete="off"
                value={secret}
                onChange={(event) => {
                  secrets.set(scheme, event.target.value)
                  setSecret(event.target.value)
                }}
              />
            </label>
          )}
          <div className="button-row wide-field">
            <Button type="submit" look="strong">
              <Icon name="play" /> Send request
            </Button>
            {answered === 'sending' && <Button onClick={() => running.current?.abort()}>Cancel</Button>}
          </div>
        </Form>
      </section>
      <AnswerPanel answered={answered} example={answer?.example} onNextPage={nextPage} />
    </aside>
  )
}

function Samples({ of }: { readonly of: (language: Language) => string }): ReactNode {
  const stored = browserStorage('localStorage')?.getItem(languageKey)
  const [language, setLanguage] = useState<Language>(languages.find((each) => each === stored) ?? 'curl')
  const id = useId()
  const code = of(language)
  return (
    <section className="panel" aria-label="Code sample">
      <header>
        <Tabs
          label="Language"
          tabs={languages.map((name) => ({ name, label: name }))}
          selected={language}
          panelId={id}
          onSelect={(chosen) => {
            browserStorage('localStorage')?.setItem(languageKey, chosen)
            setLanguage(chosen)
          }}
        />
        <CopyButton text={code} what="sample" />
      </header>
      <pre id={id} className="sample" tabIndex={0} role="tabpanel" aria-labelledby={tabId(id, language)}>
        <Tokens tokens={readSampleTokens(code)} />
      </pre>
    </section>
  )
}

interface AnswerPanelProps {
  readonly answered: Answered | 'sending' | undefined
  readonly example: unknown
  readonly onNextPage: (cursor: string) => void
}

function AnswerPanel({ answered, example, onNextPage }: AnswerPanelProps): ReactNode {
  const text = answered === undefined ? (example === undefined ? '' : format(example)) : ''
  if (answered === undefined && text === '') return null
  const result = typeof answered === 'object' ? answered : undefined
  const shown = result?.text ?? text
  return (
    <section className="panel" aria-label={answered === undefined ? 'Example response' : 'Response'}>
      <header role="status">
        {answered === undefined ? (
          <h2>Example response</h2>
        ) : result === undefined ? (
          <h2>Sending request…</h2>
        ) : (
          <>
            <h2>Response</h2>
            <Badge tone={result.status >= 200 && result.status < 400 ? 'good' : 'bad'}>
              {result.status === 0 ? 'No response' : `${result.status} ${result.statusText}`}
            </Badge>
            <span className="soft">{`${result.ms} ms, ${(result.bytes / 1024).toFixed(1)} kB`}</span>
            {result.cursor !== '' && (
              <Button isSmall onClick={() => onNextPage(result.cursor)}>
                Next page
              </Button>
            )}
            <CopyButton text={shown} what="response" />
          </>
        )}
      </header>
      {shown !== '' && (
        <pre className="sample" tabIndex={0}>
          <Tokens tokens={readSampleTokens(shown)} />
        </pre>
      )}
      {result?.isCut === true && (
        <p className="panel-text soft">The response is longer: only its beginning is shown.</p>
      )}
    </section>
  )
}

function headerOf(scheme: SecurityScheme | undefined): { readonly header: string; readonly prefix: string } {
  return scheme?.type === 'apiKey'
    ? { header: scheme.name ?? 'X-API-Key', prefix: '' }
    : { header: 'Authorization', prefix: 'Bearer ' }
}

function format(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
