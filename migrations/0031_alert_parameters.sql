alter table app.alerts add column parameters jsonb not null default '[]';

comment on column app.alerts.parameters is 'Name, type and value of each {{name}} of the statement.';
