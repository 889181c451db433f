alter table projects.projects add column side_file text;

comment on column projects.projects.side_file is 'File shown beside active_file, or null.';
