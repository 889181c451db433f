import { clientNetwork } from '../../../base/client-network.ts'
import { startConfirmation } from './confirmation.ts'
import type { Endpoint, SessionEndpoint } from './endpoint.ts'
import { listActivity, listPasskeys, removePasskey, updatePasskey } from './management.ts'
import { finishRegistration, startRegistration } from './registration.ts'
import { finishSignIn, startSignIn } from './sign-in.ts'

const own: readonly (readonly [string, Endpoint])[] = [
  ['/register/start', { access: 'session', limits: 'ceremony', run: startRegistration }],
  ['/register/finish', { access: 'session', limits: 'ceremony', run: finishRegistration }],
  ['/login/start', { access: 'open', limits: 'begin', run: startSignIn }],
  ['/login/finish', { access: 'open', limits: 'ceremony', run: finishSignIn }],
  ['/passkeys/list', { access: 'session', limits: 'manage', run: listPasskeys }],
  ['/passkeys/activity', { access: 'session', limits: 'manage', run: listActivity }],
  ['/passkeys/confirm', { access: 'session', limits: 'ceremony', run: startConfirmation }],
  ['/passkeys/remove', { access: 'session', limits: 'ceremony', run: removePasskey }],
  ['/passkeys/update', { access: 'session', limits: 'manage', run: updatePasskey }],
]

/** All that the passkey function does, by the name in `endpoint` of its body. */
export function allEndpoints(added: Readonly<Record<string, SessionEndpoint>>): ReadonlyMap<string, Endpoint> {
  const more = Object.entries(added).map(([name, handle]): readonly [string, Endpoint] => [
    name,
    {
      access: 'session',
      limits: 'manage',
      run: ({ signedIn, data, signal, caller }) =>
        handle(signedIn, data, { signal, network: clientNetwork(caller.address) }),
    },
  ])
  return new Map([...more, ...own])
}
