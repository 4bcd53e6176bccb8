# Uses a cluster through the Ruby client kubeclient, as KUBECONFIG says, and reports each check in a line of its own.

require 'kubeclient'

NAMESPACE = 'default'.freeze

CONTEXT = Kubeclient::Config.read(ENV.fetch('KUBECONFIG')).context

def client(path, version = 'v1')
  Kubeclient::Client.new(
    "#{CONTEXT.api_endpoint}#{path}",
    version,
    ssl_options: CONTEXT.ssl_options,
    auth_options: CONTEXT.auth_options
  )
end

def core
  @core ||= client('/api')
end

def apps
  @apps ||= client('/apis/apps')
end

def resource(name, rest = {})
  metadata = { name: name, namespace: NAMESPACE }.merge(rest.delete(:metadata) || {})
  Kubeclient::Resource.new(rest.merge(metadata: metadata))
end

def deployment(name)
  labels = { app: name }
  pod = { containers: [{ name: 'main', image: 'web:1' }] }
  spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels: labels }, spec: pod } }
  resource(name, spec: spec)
end

def equal(actual, expected)
  raise "#{actual.inspect} is not #{expected.inspect}" unless actual == expected
end

def refused
  yield
  raise 'it was not refused'
rescue Kubeclient::HttpError => e
  e.error_code
end

CHECKS = {}

def check(name, &block)
  CHECKS[name] = block
end

check 'creates, reads, lists, replaces and deletes' do
  created = core.create_config_map(resource('first', data: { a: '1' }))
  raise 'there is no uid' unless created.metadata.uid
  read = core.get_config_map('first', NAMESPACE)
  equal read.data.a, '1'
  read.data.a = '2'
  equal core.update_config_map(read).data.a, '2'
  raise 'it is not listed' unless core.get_config_maps(namespace: NAMESPACE).map { |each| each.metadata.name }.include?('first')
  core.delete_config_map('first', NAMESPACE)
  equal refused { core.get_config_map('first', NAMESPACE) }, 404
end

check 'chooses by labels and fields, and reads in parts' do
  (1..3).each do |number|
    core.create_config_map(resource("part-#{number}", metadata: { labels: { set: 'parts' } }))
  end
  by_field = core.get_config_maps(namespace: NAMESPACE, field_selector: 'metadata.name=part-2')
  equal by_field.map { |each| each.metadata.name }, ['part-2']
  first = core.get_config_maps(label_selector: 'set=parts', limit: 2)
  equal [first.length, first.last?], [2, false]
  rest = core.get_config_maps(label_selector: 'set=parts', limit: 2, continue: first.continue)
  equal rest.map { |each| each.metadata.name }, ['part-3']
end

check 'patches in three ways' do
  apps.create_deployment(deployment('patched'))
  sidecar = { name: 'sidecar', image: 'proxy:1' }
  strategic = apps.patch_deployment('patched', { spec: { template: { spec: { containers: [sidecar] } } } }, NAMESPACE)
  equal strategic.spec.template.spec.containers.map(&:name).sort, %w[main sidecar]
  equal apps.merge_patch_deployment('patched', { spec: { replicas: 3 } }, NAMESPACE).spec.replicas, 3
  operations = [{ op: 'replace', path: '/spec/replicas', value: 1 }]
  equal apps.json_patch_deployment('patched', operations, NAMESPACE).spec.replicas, 1
end

check 'tells refusals apart' do
  core.create_config_map(resource('refused'))
  equal refused { core.create_config_map(resource('refused')) }, 409
  equal refused { core.create_config_map(resource('Not_A_Name')) }, 422
  equal refused { core.update_config_map(resource('refused', metadata: { resourceVersion: '1' })) }, 409
  equal refused { apps.create_deployment(resource('open', spec: { template: {} })) }, 422
end

check 'watches from where a list ended' do
  version = core.get_config_maps(namespace: NAMESPACE).resourceVersion
  core.create_config_map(resource('watched', data: { step: '1' }, metadata: { labels: { watched: 'yes' } }))
  core.merge_patch_config_map('watched', { data: { step: '2' } }, NAMESPACE)
  core.delete_config_map('watched', NAMESPACE)
  watcher = core.watch_config_maps(namespace: NAMESPACE, label_selector: 'watched=yes', resource_version: version)
  seen = []
  watcher.each do |notice|
    seen << [notice.type, notice.object.data.step]
    break if notice.type == 'DELETED'
  end
  watcher.finish
  equal seen, [%w[ADDED 1], %w[MODIFIED 2], %w[DELETED 2]]
end

check 'finds what is served' do
  equal core.api_valid?, true
  apps.discover
  equal apps.respond_to?(:get_deployments), true
  equal apps.respond_to?(:get_pods), false
  batch = client('/apis/batch')
  task = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }] } } }
  equal batch.create_job(resource('task', spec: task)).spec.completions, 1
end

failures = CHECKS.reject do |name, block|
  block.call
  puts "ok #{name}"
  true
rescue StandardError => e
  warn e.full_message(highlight: false)
  puts "not ok #{name}"
  false
end
exit(failures.empty? ? 0 : 1)
