-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access.

create table wallet_auth.known_clients (
  user_id uuid not null references wallet_auth.users (id) on delete cascade,
  kind text not null check (kind in ('network', 'browser')),
  value text not null check (length(value) <= 300),
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  primary key (user_id, kind, value)
);
create index known_clients_seen on wallet_auth.known_clients (last_seen_at);

comment on table wallet_auth.known_clients is 'Networks and browsers of sign-ins, at most 500 per user, until 180 days after the last one. A sign-in from a new one is mailed.';
comment on column wallet_auth.known_clients.value is 'Network: /24, or /64 for IPv6. Browser: user agent without numbers.';
comment on column wallet_auth.known_clients.last_seen_at is 'Updated once a day.';

insert into wallet_auth.known_clients (user_id, kind, value, first_seen_at, last_seen_at)
select a.user_id, v.kind, v.value, min(a.at), max(a.at)
from wallet_auth.audit_log as a join wallet_auth.users as u on u.id = a.user_id
cross join lateral (values
  ('network', text(network(set_masklen(a.ip, case family(a.ip) when 4 then 24 else 64 end)))),
  ('browser', regexp_replace(a.user_agent, '[0-9]+([._][0-9]+)*', '', 'g'))
) as v (kind, value)
where a.event = 'signed_in' and a.detail ->> 'client' is null and v.value is not null
group by a.user_id, v.kind, v.value;
