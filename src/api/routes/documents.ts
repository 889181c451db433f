import { z } from 'zod'
import { stringify } from 'yaml'
import { readHtmlPage } from '../pages/html-page.ts'
import { describeApi } from '../openapi.ts'
import type { ApiDescription } from '../openapi.ts'
import { noParameters } from '../parameters/parameters.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

const startPage = readHtmlPage('start')
const docsPage = readHtmlPage('docs')

interface DescribedApi {
  readonly document: ApiDescription
  readonly yaml: string
}

/** The description of a route table is made once: it is long, and asking for it is not limited. */
const described = new WeakMap<readonly Route[], DescribedApi>()

function describeOnce(routes: readonly Route[]): DescribedApi {
  const known = described.get(routes)
  if (known !== undefined) return known
  const document = describeApi(routes)
  const made = { document, yaml: stringify(document, { aliasDuplicateObjects: false }) }
  described.set(routes, made)
  return made
}

const start = defineRoute({
  path: '/',
  operationId: 'getStart',
  isLimited: false,
  tag: 'Service',
  summary: 'A page with the state of the indexer, the latest blocks and where things are',
  params: noParameters,
  query: noParameters,
  response: z.string(),
  contentType: 'text/html; charset=utf-8',
  example: '<!doctype html>',
  handler: () => ({ body: startPage.html, headers: startPage.headers }),
})

const documentSchema = z.looseObject({ openapi: z.string() })
const documentExample = { openapi: '3.1.0' }

const openApiJson = defineRoute({
  path: '/openapi.json',
  operationId: 'getOpenApiJson',
  isLimited: false,
  tag: 'Service',
  summary: 'The description of this API, OpenAPI 3.1, as JSON',
  params: noParameters,
  query: noParameters,
  response: documentSchema,
  example: documentExample,
  handler: (_input, { routes }) => ({ body: describeOnce(routes).document, caching: 'static' }),
})

const openApiYaml = defineRoute({
  path: '/openapi.yaml',
  operationId: 'getOpenApiYaml',
  isLimited: false,
  tag: 'Service',
  summary: 'The description of this API, OpenAPI 3.1, as YAML',
  params: noParameters,
  query: noParameters,
  response: z.string(),
  contentType: 'application/yaml; charset=utf-8',
  example: 'openapi: 3.1.0\n',
  readsAs: { schema: documentSchema, example: documentExample },
  handler: (_input, { routes }) => ({ body: describeOnce(routes).yaml, caching: 'static' }),
})

const docs = defineRoute({
  path: '/docs',
  operationId: 'getDocs',
  isLimited: false,
  tag: 'Service',
  summary: 'This description as a page to read and try',
  params: noParameters,
  query: noParameters,
  response: z.string(),
  contentType: 'text/html; charset=utf-8',
  example: '<!doctype html>',
  handler: () => ({ body: docsPage.html, caching: 'static', headers: docsPage.headers }),
})

/** Pages to look at, and the API's description of itself. */
export const documentRoutes = [start, docs, openApiJson, openApiYaml]
