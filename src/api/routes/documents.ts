import { z } from 'zod'
import { stringify } from 'yaml'
import { readHtmlPage } from '../html-page.ts'
import { describeApi } from '../openapi.ts'
import { noParameters } from '../parameters.ts'
import { defineRoute } from '../route.ts'

const startPage = readHtmlPage('start')
const docsPage = readHtmlPage('docs')

const start = defineRoute({
  path: '/',
  operationId: 'getStart',
  tag: 'Service',
  summary: 'A page with the state of the indexer, the latest blocks and where things are',
  params: noParameters,
  query: noParameters,
  response: z.string(),
  contentType: 'text/html; charset=utf-8',
  example: '<!doctype html>',
  handler: () => ({ body: startPage.html, headers: startPage.headers }),
})

const openApiJson = defineRoute({
  path: '/openapi.json',
  operationId: 'getOpenApiJson',
  tag: 'Service',
  summary: 'The description of this API, OpenAPI 3.1, as JSON',
  params: noParameters,
  query: noParameters,
  response: z.looseObject({ openapi: z.string() }),
  example: { openapi: '3.1.0' },
  handler: (_input, { routes }) => ({ body: describeApi(routes), caching: 'static' }),
})

const openApiYaml = defineRoute({
  path: '/openapi.yaml',
  operationId: 'getOpenApiYaml',
  tag: 'Service',
  summary: 'The description of this API, OpenAPI 3.1, as YAML',
  params: noParameters,
  query: noParameters,
  response: z.string(),
  contentType: 'application/yaml; charset=utf-8',
  example: 'openapi: 3.1.0\n',
  handler: (_input, { routes }) => ({
    body: stringify(describeApi(routes), { aliasDuplicateObjects: false }),
    caching: 'static',
  }),
})

const docs = defineRoute({
  path: '/docs',
  operationId: 'getDocs',
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
