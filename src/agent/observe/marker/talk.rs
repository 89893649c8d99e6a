//! The words of all talk: consent, questions, names of programs, and words that say nothing.

/// Turns that agree, thank or hurry on.
pub(in crate::observe) const APPROVALS: [&str; 30] = [
    "yes",
    "yep",
    "yeah",
    "ok",
    "okay",
    "sure",
    "fine",
    "good",
    "great",
    "perfect",
    "nice",
    "cool",
    "thanks",
    "thank you",
    "thx",
    "ty",
    "lgtm",
    "looks good",
    "sounds good",
    "go ahead",
    "go on",
    "continue",
    "proceed",
    "do it",
    "yes please",
    "agreed",
    "exactly",
    "correct",
    "right",
    "well done",
];

/// What opens a question, also one without its mark.
pub(in crate::observe) const QUESTIONS: [&str; 34] = [
    "what ",
    "what's ",
    "why ",
    "how ",
    "how's ",
    "where ",
    "who ",
    "which ",
    "can you ",
    "could you ",
    "can we ",
    "could we ",
    "would you ",
    "would it ",
    "should i ",
    "should we ",
    "is it ",
    "is there ",
    "is this ",
    "is that ",
    "are you ",
    "are there ",
    "are we ",
    "do you ",
    "do we ",
    "does it ",
    "does this ",
    "does that ",
    "did you ",
    "did we ",
    "will it ",
    "will this ",
    "have you ",
    "any idea",
];

/// Programs that people call by name.
pub(in crate::observe) const PROGRAMS: &str = "\
    alembic ansible apt aws axios babel bash bazel biome brew cargo celery clippy cmake conda cron crontab curl cypress dbt deno \
    django docker dockerfile duckdb elasticsearch esbuild eslint express fastapi ffmpeg flask gcc gcloud gh git github gitlab gofmt \
    gradle grafana graphql grep gunicorn helm homebrew husky java jenkins jest jq kafka kotlin kubectl kubernetes lerna \
    makefile maven mocha mongodb mvn mypy mysql next.js nextest nginx ninja npm npx nx oauth openapi pandas parquet pip pipenv pipx \
    playwright pm2 pnpm podman poetry polars postgres postgresql powershell pre-commit prisma prometheus protobuf psql pylint pytest \
    python rabbitmq rails react redis redux renovate rollup rspec rsync ruff rustc rustfmt s3 sass sbt sed selenium sentry sidekiq \
    sql sqlalchemy sqlfluff sqlite ssh storybook supabase svelte swc systemctl systemd tailwind terraform tokio tox tsc turborepo \
    typescript vercel vite vitest webpack yarn zod zsh zustand";

/// Words that stand for nothing in particular, so that sharing them shows nothing.
pub(in crate::observe) const COMMON: &str = "\
    about above after again also always another anything because been before being below better between both change changed \
    changes code could does doing done down each either else even every everything file files first from further going good \
    have having here into issue just keep know last least less like line lines look made make makes many maybe more most much \
    must need never next nothing only other over part please problem really right same should some something still stop such sure \
    take than thanks that that's their them then there these they thing things think this those though time under until update \
    updated very want wants well were what when where which while will with without work works would wrong your";
