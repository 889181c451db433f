import { z } from 'zod'
import type { LinkPage } from '../../../platform/http/link-page.ts'
import { routesOf } from '../../../platform/http/route.ts'
import type { Answer, Route } from '../../../platform/http/route.ts'
import type { AskServices } from './ask-route.ts'
import { admitViewer } from './dashboard-routes.ts'

/** Mail programs may add query parameters and send any body, which is not read. */
const route = routesOf<AskServices>()

const shared = {
  path: '/api/v1/alert-mails/{token}',
  tag: 'Alerts',
  params: z.object({ token: z.string() }),
  contentType: 'text/html; charset=utf-8',
  response: z.string(),
  example: '<!doctype html>',
  alternatives: { 404: 'The link has expired or was used.' },
  problems: { 429: 'Too many requests of this network (`too-many-requests`).' },
} as const

const present = ({ status, html, headers }: LinkPage): Answer<string> => ({ body: html, status, headers })

export const alertMailRoutes: readonly Route<AskServices>[] = [
  route({
    ...shared,
    operationId: 'openAlertMail',
    summary: 'The page of a link in an e-mail of an alert, whose buttons confirm or unsubscribe; changes nothing',
    handler: async ({ params, call }, services) => {
      admitViewer(call, services)
      return present(await services.alertMails.page(params.token))
    },
  }),
  route({
    ...shared,
    method: 'POST',
    operationId: 'actOnAlertMail',
    summary: 'Confirm an alert, or unsubscribe from it (RFC 8058), by the token of the e-mail',
    handler: async ({ params, call }, services) => {
      admitViewer(call, services)
      return present(await services.alertMails.act(params.token))
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/v1/alert-mails/{token}/refuse',
    operationId: 'refuseAlertMails',
    summary: 'Refuse all alerts to the address, by the token of an e-mail to confirm',
    handler: async ({ params, call }, services) => {
      admitViewer(call, services)
      return present(await services.alertMails.refuse(params.token))
    },
  }),
]
