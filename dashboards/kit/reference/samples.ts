import type { Endpoint } from './document.ts'
import type { Token } from '../code-tokens.ts'

export interface RequestValues {
  /** By parameter name. Empty values are omitted. */
  readonly parameters: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Missing path parameters stay as `{name}`. */
export function pathOf({ path, parameters = [] }: Endpoint, values: RequestValues): string {
  let target = path
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = values.parameters[name]?.trim() ?? ''
    if (value === '') continue
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, value)
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`
}

export const languages = ['curl', 'JavaScript', 'Python'] as const
export type Language = (typeof languages)[number]

interface SampleRequest {
  readonly method: string
  readonly url: string
  /** Header with the credentials and the environment variable that holds them. */
  readonly credentials: { readonly header: string; readonly prefix: string } | undefined
  readonly body: string | undefined
  readonly isJson: boolean
}

const variable = 'FLOWFARM_KEY'

export function sampleOf(language: Language, request: SampleRequest): string {
  return { curl: curlSample, JavaScript: javaScriptSample, Python: pythonSample }[language](request)
}

function curlSample({ method, url, credentials, body }: SampleRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...(credentials === undefined ? [] : [`-H "${credentials.header}: ${credentials.prefix}$${variable}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(compact(body))}`]),
  ].join(' \\\n  ')
}

function javaScriptSample({ method, url, credentials, body, isJson }: SampleRequest): string {
  const value = `process.env.${variable}`
  const headers = [
    ...(credentials === undefined
      ? []
      : [`'${credentials.header}': ${credentials.prefix === '' ? value : `\`${credentials.prefix}\${${value}}\``}`]),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${compact(body)}),`]),
  ]
  const call = options.length === 0 ? quote(url) : `${quote(url)}, {\n${options.join('\n')}\n}`
  return [
    `const response = await fetch(${call})`,
    isJson
      ? 'const answer = await response.json()\nif (!response.ok) throw new Error(answer.detail)'
      : 'if (!response.ok) throw new Error(`Status ${response.status}`)\nconst answer = await response.text()',
    'console.log(answer)',
  ].join('\n')
}

function pythonSample({ method, url, credentials, body, isJson }: SampleRequest): string {
  const value = `os.environ["${variable}"]`
  const prefix = credentials === undefined || credentials.prefix === '' ? '' : `${quote(credentials.prefix)} + `
  const { origin, pathname, searchParams } = new URL(url)
  const options = [
    `    ${quote(origin + decodeBraces(pathname))},`,
    ...(searchParams.size === 0
      ? []
      : [`    params={${[...searchParams].map(([name, text]) => `${quote(name)}: ${quote(text)}`).join(', ')}},`]),
    ...(credentials === undefined ? [] : [`    headers={${quote(credentials.header)}: ${prefix}${value}},`]),
    ...(body === undefined ? [] : [`    json=json.loads(${quote(compact(body))}),`]),
    '    timeout=30,',
  ]
  return [
    ...(body === undefined ? [] : ['import json']),
    ...(credentials === undefined ? [] : ['import os']),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...options,
    ')',
    'response.raise_for_status()',
    `print(response.${isJson ? 'json()' : 'text'})`,
  ].join('\n')
}

/** Valid in JavaScript and Python. */
function quote(text: string): string {
  return JSON.stringify(text)
}

function decodeBraces(path: string): string {
  return path.replaceAll('%7B', '{').replaceAll('%7D', '}')
}

/** Keeps invalid JSON unchanged. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch (error) {
    if (error instanceof SyntaxError) return body
    throw error
  }
}

const words = 'await|const|false|if|import|from|new|not|null|print|throw|true|curl|None|True|False'
const pattern = new RegExp(
  String.raw`("(?:\\.|[^"\\])*"|'[^']*')(\s*:)?|\b(?:${words})\b|-?\b\d[\d.]*(?:[eE][+-]?\d+)?\b`,
  'g',
)

/** Of JSON and of samples. Joined, the tokens are the input. */
export function readSampleTokens(code: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  const add = (kind: Token['kind'], text: string): void => {
    if (text !== '') tokens.push({ kind, text })
  }
  for (const match of code.matchAll(pattern)) {
    const [whole, text, colon] = match
    add('plain', code.slice(end, match.index))
    end = match.index + whole.length
    if (text === undefined) add(/^[-\d]/.test(whole) ? 'number' : 'keyword', whole)
    else {
      add(colon === undefined ? 'text' : 'call', text)
      add('plain', colon ?? '')
    }
  }
  add('plain', code.slice(end))
  return tokens
}
