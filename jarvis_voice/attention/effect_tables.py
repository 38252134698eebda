"""What the widely used tools call their publishing, deploying, deleting, paying and sending. Pure.

Data: one entry per command, with the words that must lead it. What is not in here counts as
ordinary work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """What would last. ``target`` says on what, in the command's own words."""

    name: str
    irreversible: bool = True
    target: str = ""


_LINES: tuple[tuple[str, bool, str], ...] = (
    (
        "publish",
        True,
        """npm publish|npm unpublish|npm deprecate|npm dist-tag|pnpm publish|yarn publish
        yarn npm publish|bun publish|lerna publish|changeset publish|semantic-release|twine upload
        cargo publish|cargo yank|gem push|gem yank|poetry publish|uv publish|flit publish
        pdm publish|hatch publish|docker push|podman push|helm push|mvn deploy|gradle publish
        gradlew publish
        vsce publish|ovsx publish|nuget push|dotnet nuget|anaconda upload|goreleaser release
        huggingface-cli upload|hf upload|mkdocs gh-deploy|gh-pages|surge|amplify publish|skopeo copy
        crane push|oras push|jsr publish|mix hex.publish|dart pub|flutter pub""",
    ),
    (
        "deploy",
        True,
        """kubectl delete|kubectl drain|kubectl replace|terraform apply|terraform destroy
        terraform import|tofu apply|tofu destroy|terragrunt apply|terragrunt destroy|pulumi up
        pulumi destroy|helm uninstall|helm delete|cdk deploy|cdk destroy|sls remove
        serverless remove|fly destroy|flyctl destroy|fly apps|nomad stop|eb terminate
        oc delete""",
    ),
    (
        "deploy",
        False,
        """kubectl apply|kubectl create|kubectl patch|kubectl scale|kubectl set|kubectl edit
        kubectl rollout|kubectl cordon|kubectl label|kubectl annotate|kubectl run
        oc apply|oc rollout|helm install|helm upgrade|helm rollback
        fly deploy|flyctl deploy|fly scale|flyctl scale
        netlify deploy|heroku releases:rollback|heroku restart|heroku ps:scale|gcloud app
        gcloud run|gcloud functions|aws lambda|sam deploy|serverless deploy|sls deploy
        wrangler deploy|wrangler publish|firebase deploy|railway up|render deploys|ansible-playbook
        eb deploy|az webapp|docker stack|docker service|kamal deploy|nomad job|nomad run
        vercel deploy|vercel promote|vercel alias|vercel rollback|vercel remove|vercel rm
        systemctl restart|systemctl stop|systemctl start|systemctl reload|systemctl disable
        systemctl enable|supervisorctl restart|pm2 restart|pm2 deploy|argocd app|flux reconcile
        cap production|dokku ps:restart|copilot deploy|skaffold run""",
    ),
    (
        "migrate",
        True,
        """alembic upgrade|alembic downgrade|flyway migrate|liquibase update|knex migrate:latest
        knex migrate:rollback|sequelize db:migrate|rails db:migrate|rake db:migrate
        rails db:rollback
        supabase db|dbmate up|dbmate migrate|dbmate down|goose up|goose down|sqlx migrate
        diesel migration|drizzle-kit push|drizzle-kit migrate|prisma migrate|prisma db
        typeorm migration:run|atlas schema|atlas migrate|flask db|migrate up|migrate down""",
    ),
    (
        "delete",
        True,
        """dropdb|shred|wipe|srm|mkfs|mkfs.ext4|fdisk|flyway clean|rails db:drop|rake db:drop
        rails db:reset|rake db:reset|heroku pg:reset|heroku apps:destroy|gcloud sql|docker volume
        redis-cli flushall|redis-cli FLUSHALL|redis-cli flushdb|redis-cli FLUSHDB|gsutil rm
        gsutil rb|rclone delete|rclone purge|truncate|dokku apps:destroy|vagrant destroy""",
    ),
    (
        "spend",
        True,
        """stripe charges|stripe payment_intents|stripe refunds|stripe payouts|stripe transfers
        doctl compute|hcloud server|linode-cli linodes|eksctl create|vastai create
        runpodctl create|heroku addons:create|heroku ps:resize|flyctl machine|fly machine
        az vm|modal deploy|scw instance""",
    ),
    (
        "credentials",
        False,
        """ssh-copy-id|ssh-keygen|ssh-add|gh secret|gh auth|glab auth|aws configure|vault write
        vault kv|vault delete|heroku config:set|heroku config:unset|vercel env|fly secrets
        flyctl secrets|docker login|npm login|npm adduser|npm token|passwd|chpasswd
        security add-generic-password|op item|doppler secrets|wrangler secret|gcloud auth
        gcloud iam|kubeseal|htpasswd|firebase login|netlify env:set|az keyvault|pass insert
        pass edit
        gh ssh-key|gh gpg-key|supabase secrets""",
    ),
    (
        "send",
        True,
        """mail|mailx|sendmail|mutt|msmtp|swaks|ssmtp|slackcat|slack chat|telegram-send|signal-cli
        ntfy publish|twilio api:core:messages:create|himalaya send|neomutt|s-nail""",
    ),
    (
        "remote_copy",
        True,
        """sftp|lftp|ncftpput|rclone copy|rclone sync|rclone move|rclone copyto|croc send
        magic-wormhole send|wormhole send|transfer.sh""",
    ),
)
READS = set(
    """list ls get describe show view status logs log info history inspect current diff plan output
    search check whoami versions events tail top version""".split()
)


def _build() -> dict[str, list[tuple[tuple[str, ...], Effect]]]:
    built: dict[str, list[tuple[tuple[str, ...], Effect]]] = {}
    for name, irreversible, text in _LINES:
        for entry in re.split(r"[|\n]", text):
            first, *following = entry.split()
            row = (tuple(following), Effect(name, irreversible))
            built.setdefault(first, []).append(row)
    return built


COMMANDS = _build()
"""Program -> the words that must lead its arguments, and the effect it then has."""
