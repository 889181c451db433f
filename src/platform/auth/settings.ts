import { optionalText, words } from '../setting.ts'
import type { Setting } from '../setting.ts'

/** Variables that say who may operate: see the dashboard, and requeue, split or skip ranges. */

const group = 'Operator'

export const operatorSettings = {
  ADMIN_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Token that lets its bearer operate, and call the admin routes of the API. Without it and ' +
      'without a secret for JWTs the operator lets in requests from this machine only, and the admin ' +
      'routes are off.',
  }),
  ADMIN_JWT_SECRET: optionalText({
    group,
    secret: true,
    description: 'Secret that verifies the JWTs (HS256) of administrators. Without it AUTH_JWT_SECRET does.',
  }),
  AUTH_JWT_SECRET: optionalText({
    group,
    secret: true,
    description: 'Secret that verifies the JWTs (HS256) of the authentication service.',
  }),
  ADMIN_ALLOWED_ROLES: words({
    group,
    default: ['platform_admin', 'ops_admin', 'admin'],
    description:
      'Roles with which a JWT makes its bearer an administrator; one of the claims role, roles, ' +
      'app_metadata.role and app_metadata.roles must name one.',
  }),
} satisfies Record<string, Setting<unknown>>
