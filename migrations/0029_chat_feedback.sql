-- Ratings of chat answers. Independent of blocks; flowfarm_reader has no access.

create table app.chat_feedback (
  conversation_hash bytea not null,
  message_id text not null,
  owner text not null,
  rating text not null check (rating in ('good', 'bad')),
  reason text not null,
  entry text not null,
  created_at timestamptz not null default now(),
  primary key (conversation_hash, message_id)
);

create index chat_feedback_owner on app.chat_feedback (owner);
create index chat_feedback_created on app.chat_feedback (created_at);

comment on table app.chat_feedback is 'Ratings of chat answers, for evaluation.';
comment on column app.chat_feedback.conversation_hash is 'SHA-256 of the key that deletes the ratings of a conversation.';
comment on column app.chat_feedback.message_id is 'Id of the answer in the browser.';
comment on column app.chat_feedback.owner is 'As in app.chat_shares.';
comment on column app.chat_feedback.entry is 'Comment, questions, statements, charts, answer and model, JSON.';
