import { z } from 'zod'
import { sessionCookie } from '../access/guard.ts'
import type { Guard } from '../access/guard.ts'
import { requireSameOrigin } from '../../platform/http/guards.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { maxBodyBytes } from '../http/requests.ts'
import type { OperatorContext } from '../http/requests.ts'

const logInBody = z.strictObject(
  {
    token: z
      .string('must be ADMIN_TOKEN or the JWT of an administrator')
      .trim()
      .min(1, 'must not be empty')
      .max(16_384, 'is too long'),
  },
  'must be {token}',
)

/** `/session`: whether one is let in; logging in and out. The secret comes in a body, never in an address. */
export async function session(context: OperatorContext, guard: Guard): Promise<void> {
  guard.requireLocalIfOpen(context.req)
  context.set('Cache-Control', 'no-store')
  if (context.method === 'GET' || context.method === 'HEAD') {
    const isAllowed = await guard.isAllowed(context.req, context.cookies.get(sessionCookie))
    context.body = JSON.stringify({ access: guard.access, isAllowed })
    context.type = 'application/json'
    return
  }
  requireSameOrigin(context.req)
  if (context.method === 'POST') {
    const { token } = parseBody(logInBody, await readJson(context.req, maxBodyBytes))
    if (guard.access === 'token') {
      const { session: text, until } = await guard.logIn(context.req, token)
      setCookie(context, text, Math.round((until - Date.now()) / 1000))
    }
  } else setCookie(context, '', 0)
  context.status = 204
}

/**
 * Written by hand: the proxy that speaks TLS is known by a header, and Koa would refuse to mark the cookie as secure.
 */
function setCookie(context: OperatorContext, text: string, seconds: number): void {
  const isSecure = context.secure || context.get('X-Forwarded-Proto').split(',')[0]?.trim() === 'https'
  const parts = [`${sessionCookie}=${text}`, 'Path=/operator', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`]
  if (isSecure) parts.push('Secure')
  context.append('Set-Cookie', parts.join('; '))
}
